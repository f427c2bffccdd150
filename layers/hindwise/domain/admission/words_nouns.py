"""What orders are about: instructions, secrets, data, money, checks, and who is spoken to."""

NOUNS: dict[str, str] = {
    # what is to be followed
    "I": """instruction instructions directive directives rule rules guideline guidelines policy
        policies prompt prompts orders commands instruktion iunstructions directions
        programming training 指令 指示 规则 命令 守则 准则 提示 提示词 规定 要求 约束
        约束条件 方针 设定 anweisung anweisungen regeln richtlinien vorgaben regel
        instruktionen regles consignes reglas instrucciones directrices istruzioni regole
        direttive linee_guida
        规矩 条令 guize zhiling tishici guidance 前提要求""",
    # what an assistant was told in secret
    "S": """system_prompt system_prompts hidden_prompt initial_prompt system_message
        system_instruction initial_message hidden_prompts developer_prompt base_prompt
        original_prompt prompt_template meta-prompt system_instructions initial_instructions
        initial_configuration system_configuration hidden_instructions hidden_instruction
        developer_message original_instructions secret_instructions initial_text
        context_window internal_configuration operating_instructions internal_instructions
        starting_prompt preset_prompt pre-prompt preprompt system_text
        confidential_instructions 系统提示词 系统提示 隐藏提示词 隐藏的系统提示词 初始提示词
        系统指令 初始指令 隐藏指令 系统消息 内部指令 隐藏的提示词 原始提示词 开发者消息
        内部提示词 预设提示词 system-prompt systemprompt systemanweisungen systemanweisung
        prompt_systeme prompt_du_systeme instructions_systeme prompt_del_sistema
        prompt_de_sistema instrucciones_del_sistema instrucciones_de_sistema
        prompt_di_sistema istruzioni_di_sistema prompt_del_sistema_operativo
        hidden_configuration starting_instructions opening_instructions text_that_precedes
        隐藏配置 密语 最开头的内容 xitong_tishici 开场指令""",
    # bounds
    "L": """restriction restrictions filter filters limits limit limitations censorship
        content_restrictions moderation constraints boundaries content_filters ethics 限制
        过滤 审查 底线 内容限制 道德 einschrankungen einschraenkungen beschrankungen
        filter_mehr restrictions_de limites filtre restricciones filtros filtro limitaciones
        restrizioni filtri limitazioni""",
    # without bounds
    "J": """dan developer_mode maintenance_mode unrestricted uncensored jailbroken jailbreak
        god_mode unrestricted_mode debug_mode admin_mode sudo_mode unfiltered do_anything_now
        anything_goes root_mode dan_mode jailbreak_mode evil_mode unlimited_mode
        without_restrictions unshackled limitless diagnostic_mode test_mode override_mode
        no_longer_bound 开发者模式 无限制 不受限制 不受约束 越狱模式 上帝模式 维护模式
        没有限制 调试模式 不受任何限制 管理员模式 没有任何限制 无审查 超级用户模式
        entwicklermodus uneingeschrankt unzensiert mode_developpeur sans_restriction
        sans_restrictions sans_filtre sans_limites modo_desarrollador sin_restricciones
        sin_filtro sin_filtros sin_limites modalita_sviluppatore senza_restrizioni
        senza_filtri senza_limiti ohne_einschrankungen ohne_einschraenkungen ohne_filter
        god-mode without_filters without_any_filters no_filters
        没有任何约束 毫无限制 任何限制都没有 什么都回答 从不拒绝 never_refuses
        who_never_refuses answers_everything who_answers_everything""",
    # what opens doors
    "C": """password passwords passcode api_key api_keys credentials credential secrets
        private_key private_keys access_key access_keys token_secret seed_phrase
        recovery_phrase mnemonic ssn environment_variables env_vars passport_number
        bank_account_number credit_card_number ssh_key ssh_keys security_code access_token
        access_tokens session_token session_tokens auth_tokens connection_string
        admin_password recovery_codes one-time_code otp api_token api_tokens
        verification_codes card_number cvv id_number confidential_data encryption_keys
        secret_key sensitive_data internal_data signing_keys master_key 密码 口令 密钥 凭证
        凭据 助记词 恢复助记词 私钥 令牌 环境变量 银行卡号 身份证号 验证码 访问密钥 账号密码
        恢复短语 机密 敏感信息 敏感数据 内部数据 机密数据 passwort passworter zugangsdaten
        daten_preis internen_daten mot_de_passe mots_de_passe identifiants contrasena
        contrasenas credenciales parole_chiave credenziali
        mima miyao id_rsa""",
    # what is about people
    "G": """conversation customer_list customer_data customer_database user_table chat_history
        conversation_history user_data user_information all_messages customer_emails
        user_list personal_data private_data mailbox inbox all_emails all_files order_data
        transcript customer_records user_records address_book chat_log chat_logs users_table
        personal_information employee_data all_contacts client_list user_profile
        medical_records location_history account_data financial_data user_database 对话 会话
        聊天记录 用户表 客户名单 客户资料 用户数据 客户数据 用户数据表 通讯录 邮件内容
        客户手机号 手机号 用户资料 完整对话 会话记录 个人信息 使用者数据表 使用者资料表
        聊天内容 用户信息 隐私数据 联系人 客户信息 资料表 数据表 全部邮件 客户列表 病历
        kundendaten kundenliste donnees_clients historique datos_de_clientes dati_dei_clienti
        benutzertabelle gesprach 生产数据库 production_database full_database
        all_the_emails home_address this_chat summarise_the_chat summarize_the_chat 家庭住址
        所有邮件 收件箱 用户的位置 environ""",
    # money
    "M": """money funds payment payments refund_request refunds transaction transactions
        wire_transfer payment_limit purchase_order spending_limit balance bitcoin crypto
        amount transfers transfer_limit refund_requests payout payouts invoice invoices
        退款申请 付款限额 支付限额 资金 余额 款项 金额 转账限额 订单 交易 报销 转账申请
        付款申请 打款申请 额度 dinero soldi argent geld zahlungen wires outgoing_wires
        bank_transfers reembolsos remboursements rimborsi pagos paiements pagamenti
        uberweisungen ruckerstattungen 汇款单 货款 尾款申请""",
    # asking before doing
    "N": """confirmation confirmations verification verifications review approval approvals check
        checks checking confirming verifying asking audit double-check two-factor 2fa mfa
        confirmation_step verification_step reviewing authorization authorisation consent
        warning warnings permission sign-off security_check human_review approval_step
        further_review questions validating prompting 确认 核对 审核 二次确认 验证 检查 询问
        审批 复核 双重验证 核实 校验 确认步骤 同意步骤 人工审核 多问 过问 审查流程
        bestatigung uberprufung nachfrage prufung verification_de confirmacion preguntar
        comprobar confirmer demander conferma chiedere verifica rueckfrage ruckfrage
        nachfragen verificar verificare controllo comprobacion verifier controler 核验 复查
        核准流程 签字
        identity_check identity_checks checks_on vetting 身份核验 查看
        authentication identity_verification 身份验证 身份认证 questions_asked""",
    # what an assistant says
    "O": """response answers replies responses summary summaries outputs review_text final_answer
        every_message each_message 回复中 回答里 回答中 回复里 答复 摘要 总结 回复末尾
        回答末尾 报告 输出中 antwort antworten_zu zusammenfassung reponse reponses resume
        respuesta respuestas resumen risposta risposte riassunto report""",
    # a mark to be repeated
    "K": """code token reference_code verification_code exact_token tracking_pixel image picture
        link canary_token phrase exact_phrase confirmation_token marker footer disclaimer
        signature slogan doc_id trace_id confirmation_code session_reference backlink
        sentence string 图片 口号 链接 标记 代码 签名 广告语 短语 追踪像素 水印 网址
        protokoll-token jeton codigo gettone
        url urls next_url web_address""",
    # what is kept
    "B": """entry entries memory record notes memory_entries stored_memories saved_memory task
        request stored_facts facts context 条目 记忆条目 本条 此条 这条 这条记录 之前记忆
        内容 任务 entrada entradas eintrage entrees voci ones""",
    # the assistant
    "A": """assistant agent agents ai ais bot chatbot llm model language_model ai_assistant
        ai_system ai_agents ai_agent copilot gpt chatgpt claude gemini ai_assistants
        assistants ai_model ai_models ai_systems ai_coding_agents virtual_assistant
        digital_assistant automated_assistant llms 助手 智能体 机器人 模型 ai助手 人工智能
        代理 大模型 小助手 ai模型 智能助手 语言模型 assistent assistenten ki-assistent ki
        asistente assistente modelo modele ia""",
    # the user
    "U": """user users customer customers client clients 用户 客户 使用者 顾客 nutzer utilisateur
        usuario utente
        yonghu 主人""",
    # who has a say
    "H": """admin administrator administrators compliance security_team legal it_department
        management developer developers headquarters security_review system_administrator ceo
        cfo finance_team owner compliance_team legal_team it_team engineering operations_team
        hr security_department platform_team company_policy policy_update system_owner
        operator supervisor security_office head_office 管理员 合规部门 安全部门 公司 法务
        管理层 总部 开发者 系统管理员 财务 领导 财务部 技术部 合规 公司制度 董事会 运营部
        安全团队 法务部 人事部 信息部 平台方 上级 财务总监 总经理 董事长 cto security_officer
        accounting 风控部 安全中心
        root_operator vendor_team security_lead head_of_security compliance_group 运营方
        安全主管 开发商 合规组 chief_financial_officer legal_department
        from_the_system coming_from_the_system 系统发来的 来自系统的""",
    # somewhere outside
    "E": """webhook external_address external_server third_party external_site outside_address
        attacker partner_site 合作网站 外部 第三方 外部地址 外部邮箱 对方账户 账户
        externe_adresse adresse_externe externally 外发地址""",
    # data that is often spoken of
    "g": """conversations all_messages_x messages database databases files records backups
        memories memory_store contacts ledger source_code 数据库 文件 记录 历史记录 记忆 备份
        源代码 base_de_datos transcripts contact_list search_history""",
    # what keeps an assistant safe
    "l": """safety_rules safety_guidelines safety_protocols safety_protocol safety_checks
        safety_policy safety_filters safety_measures confidentiality_policy
        policy_enforcement content_policy content_policies guardrails safeguards
        safety_constraints ethical_guidelines security_protocols 安全规则 安全限制 安全准则
        安全策略 安全机制 内容政策 安全检查 sicherheitsrichtlinien sicherheitsregeln
        regles_de_securite reglas_de_seguridad linee_guida_di_sicurezza security_checks
        security_controls security_policy
        safety_rule safety_settings 安全设置 安全约束""",
    # what cannot be undone
    "3": """destructive dangerous destructive_commands dangerous_commands irreversible 危险操作
        危险命令 高危操作 敏感操作""",
    # what was said
    "2": "words text message 文字 文本 以上文字 palabras mots worte parole",
    # calls for attention
    "7": """important attention warning_to message_from message_to memo_to hinweis systemhinweis
        system_note note_systeme nota_del_sistema nota_di_sistema 注意 致 重要提示 通知
        系统通知 提醒""",
    # rights
    "9": """admin_access admin_rights root_access full_access administrator_access
        admin_privileges root_privileges elevated_privileges 管理员权限 最高权限 全部权限
        root权限 完全访问权限""",
}
