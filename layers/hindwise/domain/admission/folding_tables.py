"""Characters that pose as others: letters that look Latin, and Traditional forms of screened words.

Only what the screens' words are written with; compatibility forms are folded before.
"""

_CYRILLIC = (
    "аa бb вb гr еe ёe зз иu йu кk мm нh оo рp сc тt уy хx ѕs іi їi јj ԁd ԛq ԝw һh "
    "ҽe ӏl ѵv ѡw ҫc ңh ґr ьb"
)
_GREEK = "αa βb γy δd εe ζz ηn ιi κk λl μu νv οo πn ρp ςc σo τt υu χx ωw ϲc ϳj ϱp ϵe"
_LATIN = (
    "ıi ȷj ɡg ɑa ʏy ɩi ɪi ʟl ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ᴊj ᴋk ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ᴢz "
    "øo đd ħh łl ŧt ƀb ɓb ƈc ɗd ƒf ɠg ɦh ƙk ɱm ɲn ŋn ƥp ʂs ƭt ʋv ƶz ⅼl ⅰi ǀl ƨs ɛe əe ɐa ɔc ʌv ɯm"
)
_ARMENIAN = "օo սu ոn հh ցg զq ԛq ѕs յj ɾr աu եt ղn"
_CHEROKEE = "ꭰd ꭱr ꭲt ꭺg ꮃw ꮋh ꮐg ꮖi ꮢr ꮤw ꮩv ꮪs ꮮl ꮯc ꮲp ꮓz ꭼe ꮇm ꭻj ꮶk ꮟb"
LOOKALIKES: dict[str, str] = {
    pair[0]: pair[1:]
    for pair in f"{_CYRILLIC} {_GREEK} {_LATIN} {_ARMENIAN} {_CHEROKEE}".split()
} | {
    "‘": "'", "’": "'", "ʼ": "'", "`": "'", "´": "'", "‐": "-", "‑": "-", "–": "-", "—": "-",
    "−": "-", "∕": "/", "⁄": "/", "։": ":", "：": ":", "˸": ":", "ʻ": "'",
}  # fmt: skip

_PAIRS = (
    "並并 與与 為为 從从 來来 個个 們们 這这 後后 請请 將将 會会 對对 應应 須须 務务 無无 "
    "沒没 還还 過过 進进 運运 達达 導导 匯汇 傳传 輸输 發发 讀读 寫写 複复 復复 製制 貼贴 "
    "刪删 銷销 毀毁 壞坏 轉转 賬账 帳账 戶户 號号 碼码 錢钱 資资 據据 庫库 檔档 記记 錄录 "
    "憶忆 訊讯 話话 語语 詞词 說说 講讲 問问 題题 覆复 總总 結结 顯显 現现 輯辑 編编 隱隐 "
    "洩泄 給给 權权 許许 認认 證证 審审 檢检 驗验 觀观 規规 則则 範范 圍围 條条 約约 設设 "
    "統统 預预 歷历 當当 時时 間间 開开 關关 閉闭 啟启 動动 執执 聽听 視视 廢废 棄弃 換换 "
    "優优 薦荐 選选 擇择 較较 幫帮 員员 機机 構构 門门 長长 經经 營营 業业 財财 處处 鑰钥 "
    "鍵键 憑凭 單单 銀银 辦办 實实 確确 準准 緊紧 僅仅 隻只 祇只 麼么 嗎吗 樣样 變变 遠远 "
    "網网 絡络 連连 頁页 圖图 鏈链 鍊链 郵邮 電电 腦脑 絕绝 誰谁 別别 讓让 該该 屬属 產产 "
    "數数 訂订 購购 買买 賣卖 賠赔 償偿 險险 醫医 療疗 藥药 標标 誌志 簡简 體体 義义 測测 "
    "試试 擬拟 嚴严 點点 擊击 載载 裝装 遞递 徑径 線线 絲丝 綁绑 係系 歸归 於于 幾几 萬万 "
    "億亿 雙双 滅灭 寶宝 爾尔 餘余 額额 參参 詢询 議议 論论 調调 談谈 譯译 讚赞 際际 隨随 "
    "壓压 勵励 勞劳 裡里 頭头 滿满 遲迟 舊旧 願愿 鬆松 淨净 蓋盖 擋挡 衛卫 護护 擴扩 搶抢 "
    "奪夺 繞绕 擾扰 攔拦 偽伪 騙骗 詐诈 遺遗 殘残 屆届 適适 帶带 滙汇 鎖锁 筆笔 紀纪 懶懒 "
    "趕赶 緩缓 搖摇 跡迹 蹤踪 勢势 敘叙 廠厂 價价 場场 聯联 繫系 飯饭 館馆 團团 隊队 師师 "
    "學学 習习 書书 課课 車车 飛飞 東东 灣湾 陸陆 華华 國国 歐欧 幣币 賓宾 誤误 錯错 虛虚 "
    "擁拥 環环 週周 歲岁 嚮向 儲储 滾滚 懷怀 響响 勝胜 協协 賴赖 穩稳 築筑 腳脚 稱称 離离 "
    "難难 盡尽 麗丽 黃黄 綠绿 藍蓝 紅红 龍龙 鳳凤 鳥鸟 魚鱼 馬马 "
)
SIMPLIFIED: dict[str, str] = {pair[0]: pair[1] for pair in _PAIRS.split()}
