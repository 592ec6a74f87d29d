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
    MONTH,
    NUMBER,
    PART,
    SEASON,
    THIRD,
    UNIT,
    WEEK,
    YEAR,
)
from dualmem_graph.text.times.grammar import rule, veto

_WHICH = r"(?P<which>(?<![晚早马馬网網路以楼樓乡鄉地])(?:上+|下+)(?:一)?|这|這|本)[个個]?"
_HOUR = r"(?P<hour>[0-2]?\d|十[一二]?|[零〇一二两兩三四五六七八九])"
_MINUTE = r"(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>[0-5]?\d|[二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])分)"
_DATE_OF = rf"(?:(?P<date>{DAY})(?:日|号|號))"
_HOLIDAY = r"(?P<holiday>期间|期間|假期|小?长假|小?長假|黄金周|放假)?"

RULES = [
    # vetoes
    rule(
        rf"每(?:隔)?(?:逢)?(?:{CN}|\d+|[个個])*(?:{WEEK}[一二三四五六日天末]?|天|日|月|年|晚上?|早上?|季度?)"
        rf"(?:{DAY}(?:日|号|號))?(?:{PART.replace('?P<part>', '?:')})?",
        veto,
    ),
    rule(r"年年|月月|天天|一天到晚|生日快乐", veto),
    # days
    rule(
        r"(?P<day>大前|(?<![之以目大])前|昨|今|(?!(?<=[说說证證表声聲])明天[气氣])明|大[后後]|(?<![之以然最今随隨其大])[后後])"
        r"(?:天|日(?![本子常])|儿[个個]?(?![童子女]))(?!性|生的)",
        read_named_day,
    ),
    rule(
        rf"(?P<day>(?<![以之])前|昨|今|明)(?:天)?(?P<part>晚|早|夜|晨)(?:上)?(?:的)?(?:{_HOUR}[点點](?:[钟鐘整]|{_MINUTE})?)?",
        read_named_part,
    ),
    # distances
    rule(
        rf"(?P<number>{NUMBER})(?P<more>多)?(?P<unit>{UNIT})(?P<half>半)?(?:多)?(?:之|以)?(?P<way>前)(?![面方台途提])",
        read_distance,
    ),
    rule(
        r"(?P<number>[一二两兩三四五六七八九十]|\d+)[个個](?P<half>半)(?P<unit>月|小时|星期|钟头)(?:之|以)?(?P<way>[前后後])",
        read_distance,
    ),
    rule(
        rf"(?P<ahead>再?过|再過)?(?P<number>{NUMBER})(?P<more>多)?(?P<unit>{UNIT})(?P<half>半)?(?:多)?(?:之|以)?(?P<way>[后後])(?![面方台])",
        read_distance,
    ),
    rule(
        rf"(?<![不经超])(?P<ahead>再?过|再過)(?P<number>{NUMBER})(?P<unit>{UNIT})(?P<way>)(?![生的])",
        read_distance,
    ),
    rule(r"(?P<way>前)(?P<number>[几幾两兩些])(?:天|日)|(?P<while>)$^", read_some_days),
    rule(r"(?P<way>前)(?P<while>(?:一)?(?:阵子|阵|陣子|段时间|段時間|段日子))", read_some_days),
    rule(r"(?<![不经超])(?P<way>过)(?P<number>[几幾两兩些])天", read_some_days),
    rule(
        rf"(?:最近|近|过去|過去|这|這|(?P<ahead>未来|未來|接下来|接下來|今[后後]))(?:的)?(?P<number>{NUMBER})(?P<unit>{UNIT})(?![前后後])",
        read_rolling,
    ),
    # weeks
    rule(
        rf"{_WHICH}{WEEK}(?P<weekday>[一二三四五六日天末](?!天))?(?![围圍边邊遭全转轉密到期])",
        read_week,
    ),
    rule(
        rf"(?<![一二两兩三四五六七八九十几幾每\d个個上下这這本])(?P<which>){WEEK}(?P<weekday>[一二三四五六日天])(?![起岁歲])",
        read_week,
    ),
    rule(r"(?<![每个個上下这這本])(?P<which>)[周週](?P<weekday>末)", read_week),
    # months by relation
    rule(
        rf"{_WHICH}月(?:份)?(?:的)?(?:{_DATE_OF}|{THIRD})?(?![饼餅亮球光票薪经經子台])",
        read_month_by_relation,
    ),
    rule(
        r"(?<![一二三四五六七八九十\d个個上下这這本])(?P<unit>月)(?P<third>初|中旬|底|末|上旬|下旬)",
        read_edge_of_now,
    ),
    rule(
        r"(?<![一二两兩三四五六七八九十百\d几幾这這那全每去今明前后後0-9过])(?P<unit>年)(?P<third>初|底|末|中(?=[时時要会去，]))",
        read_edge_of_now,
    ),
    # dates
    rule(
        rf"(?:(?P<year>{YEAR})(?:的)?\s*)?(?<![一二三四五六七八九十\d农阴])(?P<month>{MONTH})月(?:份)?\s*"
        rf"(?:{_DATE_OF}|(?P<third>上旬|中旬|下旬|初(?![一二三四五六七八九十])|中|底|末))?(?![饼餅亮球])",
        read_date,
    ),
    rule(
        rf"(?:(?P<year>{YEAR})(?:的)?)?(?:农历|阴历|農曆|陰曆)(?P<month>正|腊|臘|冬|{MONTH})月"
        r"(?P<date>初[一二三四五六七八九十]|[二三]十|十[一二三四五六七八九]?|二十[一二三四五六七八九]|廿[一二三四五六七八九])",
        read_lunar,
    ),
    rule(
        rf"(?:(?P<year>{YEAR})(?:的)?)?(?P<month>正|腊|臘|{MONTH})月"
        r"(?P<date>初[一二三四五六七八九十]|廿[一二三四五六七八九]|(?<=[正腊臘]月)(?:[二三]?十[一二三四五六七八九]?))",
        read_lunar,
    ),
    rule(
        rf"(?<![第\d月A-Za-z#一二三四五六七八九十])(?P<date>{DAY})(?:号|號)(?![楼樓线線院门門桌房店球选選机機位码碼称稱室馆館车車厅廳床铺])",
        read_number_of_month,
    ),
    # years and their parts
    rule(
        rf"(?P<year>{YEAR})(?:的)?(?:年)?(?P<third>初|底|末|中)?(?![糕级級龄齡薪])", read_year_alone
    ),
    rule(rf"(?:(?P<year>{YEAR})(?:的)?)?(?P<side>[上下])半年", read_half_year),
    rule(
        r"(?:上(?:个)?世纪|二十世纪)?(?P<decade>(?:19|20)?\d0|[二三四五六七八九]十)年代",
        read_decade,
    ),
    rule(
        rf"(?:(?P<year>{YEAR})|(?P<which>上|这|這|下|去)[个個]?)(?:的)?(?P<season>{SEASON})",
        read_season,
    ),
    rule(
        rf"(?:(?P<year>{YEAR})|(?P<which>上|这|這|下)[个個])(?:的)?(?P<season>暑假|寒假)",
        read_school_holiday,
    ),
    rule(
        rf"(?:(?P<year>{YEAR})(?:的)?|(?P<which>上|这|這|下)[个個])?(?P<festival>{FESTIVAL}){_HOLIDAY}(?![快路])",
        read_festival,
    ),
    # clocks
    rule(rf"(?:{PART}(?:的)?\s*){_HOUR}[点點时時](?:[钟鐘整]|{_MINUTE})?", read_clock),
    rule(rf"(?:{PART}(?:的)?\s*)(?P<hour>[0-2]?\d)[:：](?P<minute>[0-5]\d)", read_clock),
    rule(r"(?<!\d)(?P<hour>[0-2]?\d)：(?P<minute>[0-5]\d)(?!\d)", read_clock),
    rule(rf"(?<![\d一二三四五六七八九十有早晚]){_HOUR}[点點](?:[钟鐘整]|{_MINUTE})", read_clock),
    rule(r"(?<!\d)(?P<hour>[0-2]?\d)[点點](?![\d%])", read_clock),
    rule(rf"(?<![\d有早晚]){_HOUR}[点點](?![都也儿兒不没])", read_clock, weak=True),
    rule(PART, read_part, weak=True),
]
