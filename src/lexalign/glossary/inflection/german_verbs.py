"""The common forms of German verbs: third person, participle, past, and the infinitive with "zu".

prüfen       prüft, geprüft, geprüften, geprüfte, prüfte, prüften, prüfe
anlegen      anlegt, angelegt, anzulegen ...     a prefix that is separable; not "legt ... an", which is two
beschließen  beschließt, beschlossen ...         a prefix that is not: no "ge"
schreiben    schreibt, geschrieben, schrieb ...  a strong verb, by a table
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lexalign.glossary.inflection.dictionary import Dictionary

_INFINITIVE = re.compile(r"[a-zäöüß]{2,}(en|eln|ern)")
_INSEPARABLE = ("be", "emp", "ent", "er", "ge", "miss", "ver", "zer")
_EITHER = ("über", "unter", "durch", "wider", "wieder", "um", "hinter", "voll")
_SEPARABLE = """zusammen herunter hinunter heraus hinaus herauf hinauf zurück voraus voran vorbei herein
    hinein bereit durch entgegen nieder weiter wieder gegen nach fest fort frei hinzu dazu hoch los mit vor
    weg bei auf aus ein her hin ab an um zu""".split()  # noqa: SIM905
_STRONG = """
beginnt begann begonnen, bietet bot geboten, bindet band gebunden, bittet bat gebeten, bleibt blieb
geblieben, bricht brach gebrochen brechen, brennt brannte gebrannt, bringt brachte gebracht, denkt dachte
gedacht, empfiehlt empfahl empfohlen empfehlen, entscheidet entschied entschieden, fährt fuhr gefahren
fahren, fällt fiel gefallen fallen, fängt fing gefangen fangen, findet fand gefunden, fließt floss geflossen,
gibt gab gegeben geben, geht ging gegangen, gilt galt gegolten gelten, gewinnt gewann gewonnen, gießt goss
gegossen, gleicht glich geglichen, greift griff gegriffen, hat hatte gehabt haben, hält hielt gehalten
halten, hebt hob gehoben, heißt hieß geheißen, hilft half geholfen helfen, kennt kannte gekannt, kommt kam
gekommen, lädt lud geladen laden, lässt ließ gelassen lassen, läuft lief gelaufen laufen, leidet litt
gelitten, leiht lieh geliehen, liest las gelesen lesen, liegt lag gelegen, meidet mied gemieden, misst maß
gemessen messen, nimmt nahm genommen nehmen, nennt nannte genannt, rät riet geraten raten, reißt riss
gerissen, ruft rief gerufen, scheidet schied geschieden, scheint schien geschienen, schiebt schob geschoben,
schlägt schlug geschlagen schlagen, schließt schloss geschlossen, schneidet schnitt geschnitten, schreibt
schrieb geschrieben, schreitet schritt geschritten, schwindet schwand geschwunden, sieht sah gesehen sehen,
sinkt sank gesunken, sitzt saß gesessen, spricht sprach gesprochen sprechen, springt sprang gesprungen,
steht stand gestanden, steigt stieg gestiegen, stirbt starb gestorben sterben, stößt stieß gestoßen stoßen,
streicht strich gestrichen, trägt trug getragen tragen, trifft traf getroffen treffen, treibt trieb
getrieben, tritt trat getreten treten, vergisst vergaß vergessen vergessen, verliert verlor verloren,
wächst wuchs gewachsen wachsen, weist wies gewiesen, wirbt warb geworben werben, wirft warf geworfen werfen,
wiegt wog gewogen, zieht zog gezogen, zwingt zwang gezwungen
"""


def _read_strong() -> dict[str, tuple[str, str, str]]:
    """By the infinitive, which is listed only where the third person does not tell it."""
    table = {}
    for line in _STRONG.split(","):
        third, past, participle, *infinitive = line.split()
        stem = third.removesuffix("t").removesuffix("e") if third.endswith(("det", "tet")) else third[:-1]
        table[infinitive[0] if infinitive else stem + "en"] = (third, past, participle)
    return table


_FORMS = _read_strong()


@dataclass(frozen=True, slots=True)
class PrincipalForms:
    third: str
    past: str
    participle: str
    infinitive: str | None = None  # with "zu" inside, where a prefix is separable


def is_verb(word: str, dictionary: Dictionary) -> bool:
    """Whether a word is an infinitive; adjectives such as "offen" have no third person."""
    if _INFINITIVE.fullmatch(word) is None:
        return False
    if word in _FORMS or word.endswith("ieren"):
        return True
    found = principal_forms(word, dictionary)
    if dictionary.has_form(found.third, word) or dictionary.has_form(found.participle, word):
        return True
    # "gehört" is listed as a form of "hören".
    return not dictionary.is_form(word) and all(map(dictionary.knows, (word, found.third, found.past)))


def verb_forms(verb: str, dictionary: Dictionary) -> Iterator[str]:
    """The most frequent first; participles are also adjectives."""
    found = principal_forms(verb, dictionary)
    yield found.third
    yield found.participle
    if found.infinitive is not None:
        yield found.infinitive
    yield from (found.participle + ending for ending in ("en", "e", "er"))
    yield from (found.past, found.past + ("n" if found.past.endswith("e") else "en"))
    yield verb[:-3] + "le" if verb.endswith("eln") else verb.removesuffix("n").removesuffix("e") + "e"


def principal_forms(verb: str, dictionary: Dictionary) -> PrincipalForms:
    if verb in _FORMS:
        return PrincipalForms(*_FORMS[verb])
    simple = _weak_forms(verb)
    for prefix in _INSEPARABLE:
        base = verb.removeprefix(prefix)
        # "ernten" has "geerntet", so "er" is no prefix of it.
        if base in _FORMS or (len(base) > 3 and base != verb and not dictionary.knows(f"ge{simple.third}")):
            return _with_inseparable(prefix, base, dictionary)
    for prefix in (*_EITHER, *_SEPARABLE):
        base = verb.removeprefix(prefix)
        if base == verb or not _is_base(base, dictionary):
            continue
        found = principal_forms(base, dictionary)
        if prefix in _EITHER and not dictionary.knows(prefix + found.participle):
            return _with_inseparable(prefix, base, dictionary)
        return PrincipalForms(
            prefix + found.third, prefix + found.past, prefix + found.participle, f"{prefix}zu{base}"
        )
    return simple


def _with_inseparable(prefix: str, base: str, dictionary: Dictionary) -> PrincipalForms:
    """The participle has no "ge": beschlossen, verkauft."""
    found = principal_forms(base, dictionary) if base in _FORMS else _weak_forms(base)
    return PrincipalForms(
        prefix + found.third, prefix + found.past, prefix + found.participle.removeprefix("ge")
    )


def _weak_forms(verb: str) -> PrincipalForms:
    stem = verb.removesuffix("n").removesuffix("e")
    soft = stem.endswith(("t", "d")) or re.fullmatch(r".*[^aeiouäöülrmnh][mn]", stem) is not None
    stem += "e" if soft else ""
    return PrincipalForms(f"{stem}t", f"{stem}te", f"{'' if verb.endswith('ieren') else 'ge'}{stem}t")


def _is_base(base: str, dictionary: Dictionary) -> bool:
    """Whether it is a verb by itself, "legen" in "anlegen"; there is no "zei" in "zeigen"."""
    if base in _FORMS:
        return True
    return len(base) > 4 and _INFINITIVE.fullmatch(base) is not None and dictionary.knows(base)
