"""The rules of the Chinese grammar, most of them one form of expression each."""

from __future__ import annotations

from dualmem_graph.text.times.chinese.absolute import (
    read_date,
    read_decade,
    read_festival,
    read_half_year,
    read_lunar,
    read_number_of_month,
    read_school_holiday,
    read_season,
    read_year_alone,
)
from dualmem_graph.text.times.chinese.relative import (
    read_clock,
    read_distance,
    read_edge_of_now,
    read_month_by_relation,
    read_named_day,
    read_named_part,
    read_part,
    read_rolling,
    read_some_days,
    read_week,
)
from dualmem_graph.text.times.chinese.words import (
    CN,
    DAY,
    FESTIVAL,
    FESTIVAL_HINTS,
    LUNAR_DAY,
    MONTH,
    NUMBER,
    PART,
    SEASON,
    THIRD,
    UNIT,
    WEEK,
    YEAR,
    hints_of,
    leaning,
)
from dualmem_graph.text.times.grammar import Grammar, rule, veto

_WHICH = r"(?P<which>(?:(?<![晚早马馬网網路以楼樓乡鄉地])(?:上{1,3}|下{1,3})|这|這|本)一?)[个個]?"
_HOUR = r"(?P<hour>[0-2]?\d|十[一二]?|[零〇一二两兩三四五六七八九])"
_MINUTE = (
    r"(?:(?P<half>半)|(?P<quarter>[一三])刻"
    r"|(?P<minute>[0-5]?\d|[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])分)"
)
_OCLOCK = rf"[点點](?:[钟鐘整]|{_MINUTE})?"
_DATE_OF = rf"(?:(?P<date>{DAY})(?:日|号|號))"
_HOLIDAY = r"(?P<holiday>期间|期間|假期|小?长假|小?長假|黄金周|放假)?"
_OF_YEAR = rf"(?:(?P<year>{YEAR})的?\s*)?"
# A weekday or weekend in a habit: 周末一般在家.
_HABIT = r"(?!我?[都常]|我?(?:一般|通常|经常|經常|总是|總是|习惯|習慣|往往|喜欢|喜歡))"
_BACK = r"(?:之|以)?(?P<way>前)(?![面方台途提后後])"
_ON = r"(?:之|以)?(?P<way>[后後])(?![面方台])"

_VETOES = (
    rule(
        "每",
        rf"每隔?逢?(?:{CN}|\d|[个個]){{0,4}}"
        rf"(?:{WEEK}[一二三四五六日天末]?|天|日|月|年|晚上?|早上?|季度?)"
        rf"(?:{DAY}(?:日|号|號))?(?:{PART.replace('?P<part>', '?:')})?",
        veto,
    ),
    rule("年月天", r"年年|月月|天天|一天到晚", veto),
)
_DAYS = (
    rule(
        "天日儿",
        r"(?P<day>大前|(?<![之以目大])前|昨|今|(?!(?<=[说說证證表声聲])明天[气氣])明|大[后後]"
        r"|(?<![之以然最今随隨其大])[后後])"
        r"(?:天|日(?![本子常])|儿[个個]?(?![童子女]))(?!性|生的)",
        read_named_day,
    ),
    rule(
        "晚早夜晨",
        r"(?P<day>(?<![以之])前|昨|今|明)天?(?P<part>晚|早|夜|晨)上?的?"
        rf"(?:{_HOUR}{_OCLOCK})?",
        read_named_part,
    ),
)
_DISTANCES = (
    rule(
        "前",
        rf"(?P<number>{NUMBER})[个個]?(?P<more>多)?(?P<unit>{UNIT})(?P<half>半)?(?P<over>多)?{_BACK}",
        read_distance,
    ),
    rule(
        "半",
        rf"(?P<number>{CN}|\d{{1,3}})[个個](?P<half>半)(?P<unit>月|小时|小時|星期|钟头|鐘頭)"
        r"(?:之|以)?(?P<way>[前后後])",
        read_distance,
    ),
    rule(
        "后後",
        rf"(?P<ahead>再?[过過])?(?P<number>{NUMBER})[个個]?(?P<more>多)?(?P<unit>{UNIT})"
        rf"(?P<half>半)?(?P<over>多)?{_ON}",
        read_distance,
    ),
    rule(
        "过過",
        rf"(?<![不经經超])(?P<ahead>再?[过過])(?P<number>{NUMBER})(?P<unit>{UNIT})(?P<way>)(?![生的])",
        read_distance,
    ),
    rule("前", r"(?P<way>前)(?P<number>[几幾两兩些])(?:天|日)", read_some_days),
    rule(
        "前",
        r"(?P<way>前)(?P<while>一?(?:阵子|阵|陣子|段时间|段時間|段日子))",
        read_some_days,
    ),
    rule("过過", r"(?<![不经經超])(?P<way>再?[过過])(?P<number>[几幾两兩些])天", read_some_days),
    rule(
        "近去这這来來后後",
        r"(?:最近|(?<!附)近|[过過]去|[这這]|(?P<ahead>未[来來]|接下[来來]|今[后後]))的?"
        rf"(?P<number>{NUMBER})(?P<unit>{UNIT})(?![前后後])",
        read_rolling,
    ),
)
_WEEKS = (
    rule(
        "周週期拜",
        rf"{_WHICH}{WEEK}(?P<weekday>[一二三四五六日天末](?!天))?(?![围圍边邊遭全转轉密到期])",
        read_week,
    ),
    rule(
        "周週期拜",
        rf"(?<![一二两兩三四五六七八九十几幾每\d个個上下这這本]){WEEK}"
        rf"(?P<weekday>[一二三四五六日天])(?![起岁歲]){_HABIT}",
        read_week,
    ),
    rule("末", rf"(?<![每个個上下这這本])[周週](?P<weekday>末){_HABIT}", read_week),
)
_MONTHS = (
    rule(
        "月",
        rf"{_WHICH}月份?的?(?:{_DATE_OF}|{THIRD})?(?![饼餅亮球光票薪经經子台])",
        read_month_by_relation,
    ),
    rule(
        "月",
        r"(?<![一二三四五六七八九十\d个個上下这這本])(?P<unit>月)"
        r"(?P<third>初|中旬|底|末|上旬|下旬)",
        read_edge_of_now,
    ),
    rule(
        "年",
        r"(?<![一二两兩三四五六七八九十百\d几幾这這那全每去今明前后後过過])(?P<unit>年)"
        r"(?P<third>初|底|末)",
        read_edge_of_now,
    ),
    rule(
        "月",
        rf"{_OF_YEAR}(?<![一二三四五六七八九十\d农陰阴曆历])(?P<month>{MONTH})月份?"
        rf"(?:\s*{_DATE_OF}|(?P<third>上旬|中旬|下旬|初(?![一二三四五六七八九十])|中|底|末))?"
        r"(?![饼餅亮球])",
        read_date,
    ),
    rule(
        "月",
        rf"{_OF_YEAR}(?:农历|阴历|農曆|陰曆)(?P<month>正|腊|臘|冬|{MONTH})月(?P<date>{LUNAR_DAY})",
        read_lunar,
    ),
    rule(
        "月",
        rf"{_OF_YEAR}(?P<month>正|腊|臘)月(?P<date>{LUNAR_DAY})",
        read_lunar,
    ),
    rule(
        "初",
        rf"{_OF_YEAR}(?:(?P<month>{MONTH})月|大年)(?P<date>初[一二三四五六七八九十])",
        read_lunar,
    ),
    rule(
        "号號",
        rf"(?<![第\d月A-Za-z#一二三四五六七八九十])(?P<date>{DAY})(?:号|號)"
        r"(?![楼樓线線院门門桌房店球选選机機位码碼称稱室馆館车車厅廳床铺])",
        read_number_of_month,
    ),
)
_YEARS = (
    rule(
        "年", rf"(?P<year>{YEAR})的?年?(?P<third>初|底|末|中)?(?![糕级級龄齡薪])", read_year_alone
    ),
    rule("年", rf"{_OF_YEAR}(?P<side>[上下])半年", read_half_year),
    rule(
        "代",
        r"(?:上个?世纪|二十世纪)?(?P<decade>(?:19|20)?\d0|[二三四五六七八九]十)年代",
        read_decade,
    ),
    rule(
        "春夏秋冬",
        rf"(?:(?P<year>{YEAR})|(?P<which>上|这|這|下|去)[个個]?)的?(?P<season>{SEASON})",
        read_season,
    ),
    rule(
        "假",
        rf"(?:(?P<year>{YEAR})|(?P<which>上|这|這|下)[个個])的?(?P<season>暑假|寒假)",
        read_school_holiday,
    ),
    rule(
        FESTIVAL_HINTS,
        rf"(?:(?P<year>{YEAR})的?|(?P<which>上|这|這|下)[个個])?(?P<festival>{FESTIVAL}){_HOLIDAY}"
        r"(?![快路])",
        read_festival,
    ),
)
_CLOCKS = (
    rule("点點时時", rf"(?:{PART}的?\s*){_HOUR}(?:{_OCLOCK}|[时時])", read_clock),
    rule(":：", rf"(?:{PART}的?\s*)(?P<hour>[0-2]?\d)[:：](?P<minute>[0-5]\d)", read_clock),
    rule("：", r"(?<!\d)(?P<hour>[0-2]?\d)：(?P<minute>[0-5]\d)(?!\d)", read_clock),
    rule(
        "点點",
        rf"(?<![\d一二三四五六七八九十有早晚]){_HOUR}[点點](?:[钟鐘整]|{_MINUTE})",
        read_clock,
    ),
    rule("点點", r"(?<!\d)(?P<hour>[0-2]?\d)[点點](?![\d%])", read_clock),
    rule("点點", rf"(?<![\d有早晚]){_HOUR}[点點](?![都也儿兒不没])", read_clock, weak=True),
    rule("晨早午晚夜", PART, read_part, weak=True),
)

#: Everything Chinese.
CHINESE = Grammar(
    (*_VETOES, *_DAYS, *_DISTANCES, *_WEEKS, *_MONTHS, *_YEARS, *_CLOCKS), hints_of, leaning
)
