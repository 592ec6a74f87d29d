"""Traditional characters read by rules written in simplified ones, and given back as written.

One character stands for one, so that a sentence keeps its length and its words; only the
characters that the rules and their word lists use are in the table. What is ambiguous the other
way round (后, 里, 面) is given back by what the sentence itself held.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dualmem_graph.system1.rules.findings import Finding, Person

_PAIRS = """
們们 個个 來来 時时 間间 說说 話话 會会 對对 過过 還还 這这 為为 麼么 樣样 給给
讓让 請请 謝谢 嗎吗 喫吃 聽听 買买 賣卖 開开 關关 學学 習习 書书 讀读 寫写 課课
師师 醫医 護护 藥药 業业 職职 務务 員员 經经 產产 廠厂 銀银 電电 腦脑 機机 車车
輛辆 鐵铁 飛飞 場场 國国 灣湾 臺台 縣县 鄉乡 鎮镇 區区 門门 廈厦 廣广 東东 蘇苏
無无 錫锡 瀋沈 陽阳 連连 濟济 島岛 慶庆 漢汉 長长 鄭郑 貴贵 蘭兰 寧宁 馬马 龍龙
貓猫 魚鱼 鳥鸟 雞鸡 鴨鸭 豬猪 龜龟 養养 歲岁 爺爷 媽妈 孫孙 兒儿 婦妇 親亲 戀恋
結结 離离 單单 訂订 愛爱 歡欢 討讨 厭厌 惡恶 懼惧 慣惯 興兴 樂乐 運运 動动 遊游
戲戏 視视 劇剧 攝摄 畫画 鋼钢 彈弹 語语 飯饭 麵面 餃饺 蝦虾 蠔蚝 鹹咸 鮮鲜 葷荤
療疗 痠酸 頭头 膽胆 腎肾 臟脏 膚肤 壓压 臉脸 齒齿 發发 燒烧 傷伤 術术 瘋疯 憂忧
鬱郁 慮虑 懷怀 後后 裡里 裏里 幾几 萬万 億亿 兩两 點点 鐘钟 號号 週周 禮礼 節节
聖圣 誕诞 農农 曆历 陰阴 從从 進进 遠远 邊边 帶带 見见 覺觉 記记 憶忆 認认 識识
總总 終终 舊旧 變变 換换 轉转 選选 擇择 試试 驗验 績绩 級级 組组 隊队 層层 樓楼
錢钱 費费 價价 賬账 帳帐 貸贷 資资 儲储 專专 畢毕 碩硕 導导 論论 編编 輯辑 譯译
設设 計计 創创 辦办 領领 顧顾 問问 銷销 營营 維维 網网 絡络 軟软 體体 數数 據据
庫库 碼码 測测 當当 擔担 責责 實实 際际 應应 該该 夠够 嚴严 圍围 圖图 雜杂 誌志
報报 紙纸 筆笔 劃划 壞坏 塊块 雙双 條条 隻只 張张 陳陈 劉刘 趙赵 吳吴 鄧邓 蕭萧
葉叶 蔣蒋 盧卢 鍾钟 譚谭 陸陆 羅罗 許许 馮冯 題题 適适 強强 極极 熱热 淚泪 滿满
減减 戰战 勝胜 敗败 贏赢 輸输 獎奖 證证 執执 駕驾 駛驶 險险 簽签 約约 預预 聯联
繫系 絲丝 線线 紅红 綠绿 藍蓝 黃黄 顏颜 聲声 樹树 園园 遺遗 辭辞 歷历 練练 騎骑
鬧闹 鬥斗 盡尽 尋寻 屆届 歸归 穩稳 窮穷 簡简 純纯 繼继 續续 絕绝 統统 緊紧 緒绪
"""
_TO_SIMPLIFIED = {ord(pair[0]): pair[1] for pair in _PAIRS.split()}


@dataclass(frozen=True, slots=True)
class Script:
    """The characters of a sentence that were written in the traditional form.

    Attributes:
        text: the sentence in simplified characters, of the same length.
        back: how to give its characters back.
    """

    text: str
    back: dict[int, str]

    def restore(self, text: str) -> str:
        """``text`` in the characters of the sentence; 用户, our own word, stays as it is."""
        return text.translate(self.back).replace("用戶", "用户")


def simplified(text: str) -> Script:
    """Read a sentence in simplified characters.

    Example:
        >>> script = simplified("我喜歡貓")
        >>> script.text, script.restore("用户喜欢猫。")
        ('我喜欢猫', '用户喜歡貓。')
    """
    plain = text.translate(_TO_SIMPLIFIED)
    if plain == text:
        return Script(text, {})
    changed = zip(plain, text, strict=True)
    return Script(plain, {ord(now): was for now, was in changed if now != was})


def as_written(finding: Finding, script: Script) -> Finding:
    """A finding in the characters of the sentence it came from."""
    if not script.back:
        return finding
    one = finding.candidate
    candidate = replace(
        one,
        content=script.restore(one.content),
        subject=script.restore(one.subject),
        dimension=script.restore(one.dimension) if one.dimension else None,
        value=script.restore(one.value) if one.value else None,
        quote=script.restore(one.quote),
    )
    info = tuple(
        replace(entry, value=script.restore(entry.value)) if entry.value else entry
        for entry in finding.basic_info
    )
    people = tuple(Person(script.restore(one.name), one.pronoun) for one in finding.people)
    return Finding(candidate, info, people)
