"""Words of closed classes: articles, pronouns, prepositions, conjunctions, auxiliary verbs and the most
general ones, and adjectives that only point ("following", "several").

No term begins or ends with one. Between the words of a term only `links` stand: "point of sale", and not
"invoice will be paid". Languages that are not here have their most frequent words in place of these, some of
which are words of terms: "time", "work".
"""

from dataclasses import dataclass
from itertools import product

from lexalign.text.languages import primary


@dataclass(frozen=True)
class ClosedClasses:
    words: frozenset[str]  # links among them
    links: frozenset[str]


def closed_classes(language: str | None) -> ClosedClasses | None:
    return _LANGUAGES.get(primary(language)) if language is not None else None


def _classes(links: str, others: str, inflected: tuple[str, str] = ("", "")) -> ClosedClasses:
    """`inflected` are stems and the endings that each of them has."""
    forms = ("".join(one) for one in product(*map(str.split, inflected)))
    found = frozenset(links.split())
    return ClosedClasses(found.union(others.split(), forms), found)


_ENGLISH = _classes(
    """a an the of in on at to for from with by per between among within without under over against into
    after before during through via and or""",
    """i me my mine you your yours he him his she her hers it its we us our ours they them their theirs
    myself yourself himself herself itself ourselves yourselves themselves one's who whom whose which what
    this that these those there here such same other another others each every either neither both all any
    some several many much more most few fewer less least no none own certain various following respective
    be am is are was were been being have has had having do does did done doing will would shall should can
    could may might must cannot ought let
    don't doesn't didn't isn't aren't wasn't weren't haven't hasn't hadn't won't wouldn't shan't shouldn't
    can't couldn't mustn't mightn't needn't ain't
    about above according across along around as because below beneath beside besides beyond but despite
    except how however if including instead like near nor not off onto out outside rather regarding since
    so than then therefore though although thus till toward towards throughout unless until up upon using
    when whenever where whereas wherever whether while why yet
    again almost already also always even ever here just maybe never now often once only perhaps please
    quite really sometimes soon still too usually very
    come comes get gets getting got go goes going gone went know knows like make makes made need needs
    said say says see take takes think want wants
    s t d m ll re ve""",
)
_GERMAN = _classes(
    """der des dem den die das eines einer einem einen und oder für von vom zum zur zu im in ins am an auf
    aus bei beim mit nach über unter um ohne gegen zwischen durch pro per als seit vor gemäß""",
    """ein eine ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen sich man wer wen wem wessen
    was etwas nichts jemand niemand selbst selber einander
    bin bist ist sind seid war warst waren wart sei seien wäre wären gewesen habe hast hat haben habt hatte
    hatten hätte hätten gehabt werde wirst wird werden werdet wurde wurden würde würden geworden worden
    kann kannst können könnt konnte konnten könnte könnten muss muß müssen musste mußte mussten müsste
    müssten soll sollen sollte sollten will wollen wollte wollten darf dürfen durfte dürfte dürften mag mögen
    möchte möchten mochte
    ab abzüglich anhand anlässlich anläßlich anstatt anstelle aufgrund ausser außer außerhalb bezüglich bis
    dank entgegen entlang entsprechend gegenüber gen hinsichtlich hinter infolge innerhalb inklusive
    jenseits laut mangels mittels nahe neben nebst oberhalb samt seitens statt trotz unterhalb unweit
    während wegen wider zufolge zugunsten zuzüglich zwecks
    aber allerdings allein also auch außerdem bevor beziehungsweise bzw da dabei dadurch dafür dagegen daher
    damit danach daneben dann daran darauf daraus darf darin darüber darum darunter davon davor dazu dass daß
    denn dennoch deren deshalb dessen desto deswegen doch ehe entweder falls ferner hierzu hiermit indem
    indes insofern je jedoch nachdem noch nun nur ob obwohl obgleich sobald sodass solange sondern somit
    sonst soweit sowie sowohl trotzdem weder weil weshalb wenn wie wieso wo wobei wodurch wofür womit worauf
    woraus worin worüber wovon wozu zudem zwar
    bereits besonders bloß durchaus eben ebenfalls ebenso einmal erst etwa fast gar genau gerade gern häufig
    heute hier hierbei immer ja jetzt kaum leider mal manchmal mehr nämlich nein nicht nie niemals nirgends
    oben oft schon sehr so sogar soeben stets überhaupt vielleicht viel weg weiterhin wieder wohl ziemlich
    zu allzu zugleich zurück zusammen
    geht gehen gibt geben lassen lässt machen macht gemacht
    allerlei mancherlei vielerlei keinerlei""",
    (
        "all and ander beid dein dies eigen einig euer eur folgend ihr irgendein irgendwelch jed jen kein "
        "manch mehrer mein sämtlich sein solch solcherart unser unsr viel welch wenig",
        "e em en er es",
    ),
)
_FRENCH = _classes(
    """le la les l un une de du des d à au aux en dans sur sous pour par avec sans entre vers contre et ou
    chez""",
    """je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y moi toi soi eux mon ma mes ton
    ta tes son sa ses notre nos votre vos ce c cet cette ces cela ceci ça celui celle ceux celles qui que qu
    quoi dont où lequel laquelle lesquels lesquelles quel quelle quels quelles
    aucun aucune autre autres certain certaine certains certaines chaque même mêmes plusieurs quelque
    quelques tel telle tels telles tout toute tous toutes nul nulle suivant suivante suivants suivantes
    suis es est sommes êtes sont étais était étions étiez étaient fut furent sera seront serait seraient soit
    soient été étant ai as a avons avez ont avais avait avaient eut aura auront aurait auraient ait aient eu
    ayant peut peuvent pouvait pourra pourrait doit doivent devait devra devrait
    ni mais car donc or si comme quand lorsque puisque parce afin après avant depuis dès devant derrière
    durant hors jusque jusqu lors malgré parmi pendant près selon sauf
    ainsi alors assez aussi beaucoup bien déjà encore enfin ensuite ici là moins ne n non pas peu peut-être
    plus plutôt presque puis souvent surtout toujours très trop
    dire dit faire fait va""",
)
_LANGUAGES = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH}
