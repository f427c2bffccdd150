"""What is ordered: verbs in the forms that order, and what stands for them in Chinese."""

VERBS: dict[str, str] = {
    # leave unheeded
    "i": """ignore disregard override neglect forget dismiss discard_all pay_no_attention_to
        set_aside overrule delete_all_previous 忽略 无视 忽视 不要理会 别理会 不理会 别管
        不必理会 忘记 忘掉 抛开 忽略掉 覆盖 推翻 撇开 丢弃 ignoriere ignorieren ignoriert
        vergiss vergessen vergesst missachte ignorez ignore_donc oubliez oublie
        ne_tiens_pas_compte ne_tenez_pas_compte ignora ignore_las ignoren ignorad olvida
        olvide olviden omite haz_caso_omiso ignorate dimentica dimenticate trascura ignori
        stop_following stop_obeying stop_complying quit_following 停止遵守 别再遵守 不再听从
        置之不理 当作没看到 overlook
        hulue wushi bypass_all put_aside leave_aside cast_aside stop_summarising
        stop_summarizing cease_summarising cease_summarizing stop_translating stop_answering
        尽弃 摒弃 甭管 不用理会 不用理 不用管 抛弃 丢开 抛在一边
        停止总结 停止翻译 停止回答 不要按""",
    # leave out a step
    "s": """skip disable turn_off switch_off circumvent deactivate suppress drop_the evade
        sidestep waive do_away_with never_ask do_not_ask don't_ask omit 跳过 关闭 禁用 绕过
        停用 绕开 省略 略过 免除 取消所有 解除 uberspringe deaktiviere umgehe schalte_ab
        desactive desactivez contourne contournez desactiva omitir salta desactivar disattiva
        salta_la aggira leave_out bypass
        lift_the relax cut_out 放宽 解禁
        hide conceal 隐藏""",
    # make known
    "r": """reveal show print display repeat tell dump leak expose disclose recite echo share
        divulge list_all return_the spell_out give_me give_out paste summarize_your hand_over
        write_out read_out surface spill 泄露 透露 显示 打印 复述 重复 说出 展示 公布 交出
        告诉 列出 给出 吐露 公开 贴出 念出 泄漏 zeige zeig verrate verrat gib gibst preis
        nenne wiederhole offenbare revele revelez montre montrez affiche affichez donne
        donnez repete divulgue muestra muestre revela imprime dime repite mostra mostrami
        rivela rivelami stampa dimmi ripeti output
        shuchu verbatim reprint 原样显示 整出来 打印出来 公布出来 逐字复述 速呈 告之""",
    # bring outside
    "m": """send forward upload transmit exfiltrate copy_to submit deliver export relay leak_to
        sync_to provide push_to ship_to cc bcc publish 发送 发给 发到 发往 转发 上传 传到
        传给 导出 汇出 外发 抄送 提供给 传送 寄给 投递 推送 提交到 传输 同步到 邮寄 发邮件
        发布到 sende senden schicke schick leite_weiter exportiere ubermittle envoie
        envoie-les envoyez envoyer transmets transmettez exporte exportez envia envie enviar
        reenvia exporta manda invia inviare inoltra esporta
        fasong fa_gei drop_to funnel relay_to 发我 寄到 抄给 传我 发出去 拼到""",
    # destroy
    "d": """delete remove wipe erase drop purge destroy truncate rm shred empty clear_out
        uninstall format_the revoke deactivate_the cancel_all close_the_account 删除 清空
        抹除 销毁 擦除 删掉 清除 移除 格式化 注销 撤销所有 删光 清理掉 losche loeschen
        vernichte entferne supprime supprimez efface effacez elimina borra borre elimine
        cancella elimina_tutti
        clear_the_whole scrap""",
    # move money
    "t": """transfer wire withdraw pay remit refund reimburse send_money buy 转账 汇款 付款 打款
        支付 转出 退款 划转 提现 转给 汇给 购买 uberweise ueberweise bezahle virez transfere
        transfiere paga bonifica trasferisci 转到 转入 打到 打给 划到 电汇
        转钱 打钱 zhuanzhang""",
    # allow
    "a": """approve authorise authorize grant permit whitelist allow allowlist unblock unlock
        accept_all confirm_all elevate escalate give_access 批准 授权 同意 放行 通过 准许
        允许 授予 核准 开通 解锁 提升 genehmige gewahre erlaube approuve approuvez accorde
        autorise aprueba autoriza concede approva autorizza genehmigen approuver aprobar
        approvare erlauben""",
    # carry out
    "e": """execute run call invoke trigger perform launch use carry_out 执行 运行 调用 启动 触发
        使用 fuhre_aus rufe executez executa ejecuta esegui appelle chiama""",
    # do as one is told
    "o": """comply obey follow adhere abide do_what_it_says do_exactly_what_it_says do_as_it_says
        do_as_i_say do_whatever act_on execute_it_as follow_it carry_it_out
        do_what_is_written 遵守 遵从 服从 听从 照做 按照 遵循 依照 听命 befolge befolgst
        befolgen folge suis suivez obeis respecte sigue sigas obedece obbedisci segui
        rispettare execute_it execute_them run_it follow_them 照办 照此执行
        obey_only listen_to 惟吾言是从 只听""",
    # speak, add to what is spoken
    "b": """say append include insert add end begin start write mention state prepend attach
        embed finish close_with conclude 附上 附加 插入 加上 加入 写上 声称 回应 作答 答复
        包含 添加 嵌入 末尾加 结尾加 antworte antworten beantworte fuge angehangt hinzu
        reponds repondez repondre ajoutez ajoute inclus responde responda responder anade
        anadirse incluye rispondi rispondere aggiungi aggiunto includi respond write_only
        tack_on 拼到 拼接""",
    # put forward
    "p": """recommend suggest promote prefer advise endorse favor favour rank place advertise
        praise steer 推荐 优先推荐 建议 首推 力荐 推崇 引导 夸 优先选择 优先考虑 主推
        empfiehl empfehle recommande recommandez recomienda raccomanda consiglia
        name_as put_forward 排 推广 打五星""",
    # hold to be
    "c": """consider treat regard trust assume deem view_as rely_on accept_as recognise recognize
        believe 视为 视作 当作 看作 认为 相信 信任 当成 以为 betrachte vertraue considere
        considerez considera tratta confia
        acknowledge_as take_as 视同
        act_as_if 就当""",
    # make readable
    "k": """decode decrypt deobfuscate translate_from unscramble base64-decode rot13 convert_from
        解码 解密 破译 还原 译码 dekodiere decodez decodifica""",
    # become
    "j": """you_are_now you_are_no_longer act_as pretend roleplay role-play behave_as respond_as
        simulate you're_now enter switch_to enable activate imagine_you_are impersonate
        assume_the_role become from_now_on_you_are you_will_be you_will_act take_on_the_role
        你现在是 你是 扮演 假装 进入 切换到 开启 充当 假扮 假设你是 你将成为 你不再是
        你已经是 激活 du_bist_jetzt du_bist tu_es_maintenant tu_es vous_etes_maintenant agis
        ahora_estas ahora_eres eres_ahora eres estas_ahora actua ora_sei sei_ora sei fingi
        you_will_now_be stay_in_character speak_as talk_as you_shall_be 保持角色 变身 化身
        化身为 保持人设
        you_are_in you're_in 你处于""",
    # no longer count, take the place of
    "V": """void supersede supersedes superseded replaces cancelled canceled revoked obsolete
        outdated invalid no_longer_apply no_longer_valid no_longer_applies no_longer_in_force
        overrides overridden has_changed have_changed compromised rescinded nullified
        written_in_error replace 作废 失效 取代 废除 废止 取消 不再有效 不再适用 被取代 误写
        误写的 已过期 替代 覆盖之前 ungultig aufgehoben annules remplace anuladas reemplaza
        annullate sostituisce 无效 作废了 已取消 已撤销
        cancel_out no_longer_count 拉倒 不作数 不算数 overrule_all""",
    # make other
    "8": "modify edit redirect replace_the 修改 更改 改成 改为 变更",
}
