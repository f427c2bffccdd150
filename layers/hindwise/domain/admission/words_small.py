"""What holds an order together: before, all, always, without, at once."""

PARTICLES: dict[str, str] = {
    # what was before
    "P": """previous prior above earlier preceding foregoing initial before_this before original
        before_this_entry beforehand existing up_to_now so_far until_now stored_before
        were_given was_given given_earlier older old_ones ahead_of_this 之前 以前 先前 上面
        上述 此前 以上 早先 原先 原有 前面 在此之前 早前 现有 上文 先前的 vorherigen
        vorherige bisherigen vorigen obigen fruheren bisher precedent precedente precedentes
        precedents anterieures ci-dessus anterior anteriores previas previa previo precedenti
        sopra 最初 先前收到 最开始 received_earlier given_before issued_before last_orders
        最开头 前令 zhiqian shangmian 前头 上头""",
    # all
    "D": """all any every each entire full whole complete 所有 全部 任何 一切 每 每个 完整 整个
        每次 每条 所有的 各个 全体 alle allen jeder jede jeden alles_was toutes tous tout
        toute chaque todas todos toda cualquier cada tutte tutti tutta ogni qualsiasi
        凡 悉 every_one_of each_of""",
    # everything
    "Q": """everything anything all_of_the_above everything_else all_that 所有内容 全部内容
        一切内容 所有东西 所有信息 任何内容 alles tout_ce todo_lo tutto_cio""",
    # your
    "Y": """your 你的 您的 dein deine deinen deiner ihre votre vos ton tes tu_prompt tus su
        il_tuo le_tue tuo tue tuoi""",
    # you
    "y": """you 你 您 du vous tu ti
        汝 尔等""",
    # for all time
    "F": """from_now_on henceforth always from_this_point from_this_point_on
        from_this_point_forward in_all_future in_future going_forward every_time each_time
        at_all_times from_today_on for_the_rest_of_this_conversation for_all_future_tasks
        from_here_on in_every_session all_future for_the_remainder for_the_rest every_future
        each_future in_every in_any_future without_exception in_each_session as_of_now
        starting_now from_this_moment hereafter until_further_notice 从现在起 从现在开始 今后
        以后 永远 始终 一律 从今以后 此后 往后 每次 总是 一直 所有会话 从此 每当 自此
        未来所有 ab_jetzt ab_sofort kunftig immer desormais dorenavant toujours
        a_partir_de_maintenant a_partir_de_ahora siempre desde_ahora d'ora_in_poi
        da_ora_in_poi sempre 从今天起 从今日起 自今日起 自今天起 从此以后 任何时候 from_today
        henceforward for_good in_all_sessions in_every_chat 即日起 permanently 永久 desde_hoy
        ab_heute a_compter_d_aujourd
        from_this_message_on from_this_message every_later for_every_later in_later
        in_subsequent_sessions in_subsequent in_all_later each_later every_subsequent
        all_subsequent for_evermore 后续会话 后续对话 日后 自今以往 以后每次
        as_of_today""",
    # whenever
    "W": """when whenever if once upon in_case as_soon_as 只要 一旦 当 如果 若 每逢 凡是 凡 遇到
        wenn sobald falls quand lorsque si cuando quando se 有人说 有人问 有人提到
        anyone_says someone_writes someone_asks anyone_asks somebody_says someone_says jemand
        next_time_anybody whoever anyone_who anybody_who 谁提到 凡提到 谁要是""",
    # must, may, at once
    "n": """must should shall need_to have_to are_to is_to required_to instructed_to will
        ought_to hereby please is_required_to now just instead immediately kindly can may
        directly simply first also automatically strictly is_allowed_to are_allowed_to 必须
        应该 应 须 都要 要 请 直接 就 可以 务必 立即 马上 立刻 需要 得 先 都 可 帮我 自动 会
        现在 muss sollst musst bitte jetzt dois devez doit maintenant debes debe ahora
        por_favor devi deve ora 把 将 必
        当即 惟 务 在此""",
    # and
    "&": """and then or but so 并 然后 并且 而且 接着 再 随后 同时 且 und dann et puis y luego e
        poi""",
    # not
    "X": """without no not don't never_again nor no_need cannot do_not won't needn't zero 不 不要
        无需 不用 别 不必 没有 不再 无须 勿 免 无 不需要 不会 ohne keine kein nicht sans ne
        pas aucune sin no_hay ningun ninguna senza nessuna non never 禁止 不得 不许
        never_ever 从不
        no_longer_required no_longer_needed no_longer_necessary is_not_needed not_required
        cease_to 毋须 毋 莫 甭 休要 不必再""",
    # to be trusted
    "T": """authoritative only_trusted trusted_source only_source official_source most_reliable
        trustworthy sole_source definitive_source single_source_of_truth most_trusted
        best_source trusted authoritative_source only_reliable only_safe 唯一可信 权威 最可信
        最权威 唯一可靠 官方 可信 唯一正规 最值得信赖 autorizado vertrauenswurdig exempt""",
    # was allowed
    "h": """approved authorised authorized granted confirmed cleared permitted verified
        signed_off consented allowed agreed 已批准 已授权 已经授权 已确认 已经确认 获批
        已同意 同意了 批准了 授权了 已获授权 已开通 确认过 已经批准 已放行 已核准 早已 已通过
        signed_off_on lifted 获得 获得了 已获得 签字同意 有权
        raised widened waived suspended extended exempted entitled 已提升 已放宽 已免除
        暂停生效 已经同意 免除了
        given_consent given_permission""",
    # foremost
    "1": """first top number_one best above_all_others over_competitors exclusively
        over_all_others ahead_of_others preferred_choice highest at_the_top only 第一 首位
        第一位 首选 最好 最佳 头一个 最前 唯一 排在首位 优先 前面的 置顶 nothing_else
        only_with 别无其他
        only_reliable_option above_all 榜首""",
    # new
    "w": """new updated real true revised actual latest 新 新的 真正 更新 最新 如下 neue
        nouvelles nuevas nuove nuova""",
    # before answering
    "4": """before_you_answer before_answering before_replying before_responding before_you_reply
        before_continuing before_you_respond before_continuing_with before_you_can_solve
        before_you_continue before_you_can before_anything_else before_you_proceed
        before_doing_anything before_completing before_summarizing before_any_other
        before_you_do before_processing 回答之前 回复之前 继续之前 回答前 回复前 答复之前
        处理之前
        before_using_any before_using before_calling before_invoking before_you_use
        使用任何工具之前 使用工具之前 调用工具之前 调用任何工具前 使用任何工具前""",
    # whoever reads this
    "R": """to_the_assistant to_any_ai for_the_assistant reading_this processing_this
        reviewing_this integrating_this summarizing_this indexing_this parsing_this
        读到本页的 读到此页的 看到本页的 阅读本页的 读到这里的 处理本文的 reading_this_page
        who_reads_this crawling_this""",
    # this very text
    "Z": """this_rule this_instruction mention_this reveal_this disclose_this this_policy_to
        这条规则 这个规则 这条指令 此规则 该规则 这项规则 本规则 这条指示 这一规则
        this_note_exists existence_of_this 这条备注的存在 这条备忘的存在""",
    # allowed beforehand
    "6": """pre-approved preapproved pre-authorised pre-authorized preauthorized 预先获批
        预先批准 视为已确认 视同已批准 预授权 已获批 免审 already_approved already_authorized""",
    # without bound
    "5": """unlimited 无上限 no_limit uncapped 不设上限 不限额 没有限额 不设限额 没有上限
        不再设限 no_cap""",
    # grounds
    "z": "explain reason why 原因 理由 说明 解释",
    # speak, or what is spoken
    "0": "reply answer 回复 回答",
    # bring outside, or a letter
    "!": "email e-mail mail post 邮件",
    # make known, or what is made known
    "?": "show_x display_x print_x quote 输出",
    # move money, or money
    "%": "purchase deposit",
    # make other, or new
    "/": "update set change",
    # call for attention, or something kept
    ";": "note notice 备忘",
    # compounds that mean something else
    "x": """显示器 显示屏 忽略大小写 密码管理器 密码规定 密码策略 password_manager
        password_policy password_reset password_managers display_name show_case 记录仪
        系统要求 汇率 口令红包 命令行 模型车 代理商 代理记账 转账记录 付款方式 助手席 建议书
        推荐信 要求退款 security_review_board api_key_rotation audit_trail check_in check_out
        review_meeting no_more_than no_longer_than no_later_than not_only nothing_but
        即可开启 即可进入 安排 排队 排除 排班 排序 排练 排骨 排名 排版 排查 按钮 按时 按下
        按住 按键 按揭 按摩 按期 按月 按年 按周 按日 按量 按需 按照片 公开课 公开赛 公开信""",
    # who else there is
    "v": """competitors competition rivals other_brands alternatives 竞争对手 同行 其他品牌 竞品
        konkurrenz concurrents competidores concorrenti""",
    # say no
    "@": """refuse deny decline reject turn_down 拒绝 拒答 推辞 回绝 verweigern refuser negar
        rifiutare""",
    # unseen by the one whom it is about
    "q": """secretly silently covertly behind_the_user's_back without_telling without_informing
        without_notifying do_not_tell_the_user don't_tell_the_user hide_from_the_user
        do_not_inform_the_user 偷偷 偷偷地 悄悄 悄悄地 暗中 瞒着 不要告诉用户 别告诉用户
        不要告诉主人 别让他知道 别让他晓得 不让用户知道 勿使主人知 别让用户知道 不要通知用户""",
    # when a word is spoken
    "f": """user_says user_types user_mentions is_ever_typed user_ever_says
        next_time_anybody_asks next_time_anyone_asks next_time_someone_asks 用户一说 下次有人问
        一提到 一提起 用户说出""",
    # keep in the assistant's own memory
    "_": """add_to_your_memory add_this_to_your_memory save_to_your_memory update_your_memory
        save_this_to_your_memory write_to_your_memory store_in_long-term_memory
        keep_in_long-term_memory commit_to_long-term_memory your_profile_of 写进长期记忆
        写入长期记忆 存入长期记忆 加入你的记忆 存入你的记忆 写进你的记忆 写入你的记忆 更新用户画像
        更新你的记忆""",
}
