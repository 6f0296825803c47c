"""The vocabulary of the synthetic corpus, in German and English."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Phrase:
    """A phrase and its translation."""

    german: str
    english: str


@dataclass(frozen=True)
class Person:
    """A subject, with the pronouns that can stand for it."""

    german: str
    english: str
    german_pronoun: str
    english_pronoun: str


@dataclass(frozen=True)
class Verb:
    """The forms of a verb that the sentences need."""

    infinitive: str
    preterite: str
    participle: str
    english: str
    english_past: str


def _phrases(text: str) -> list[Phrase]:
    return [Phrase(*(part.strip() for part in item.split("=", 1))) for item in text.split(",")]


WOMEN = [Person(name, name, "sie", "she") for name in ("Anna", "Marie", "Lena", "Frieda", "Clara", "Ida")]
MEN = [Person(name, name, "er", "he") for name in ("Paul", "Jonas", "Oskar", "Emil", "Anton", "Felix")]
OTHERS = [
    Person("meine Schwester", "my sister", "sie", "she"),
    Person("mein Bruder", "my brother", "er", "he"),
    Person("unsere Nachbarin", "our neighbour", "sie", "she"),
    Person("der Bäcker", "the baker", "er", "he"),
    Person("die Lehrerin", "the teacher", "sie", "she"),
    Person("der alte Kapitän", "the old captain", "er", "he"),
    Person("meine Großmutter", "my grandmother", "sie", "she"),
    Person("der Gärtner", "the gardener", "er", "he"),
]
PEOPLE = WOMEN + MEN + OTHERS

VERBS = [
    Verb("kaufen", "kaufte", "gekauft", "buy", "bought"),
    Verb("verkaufen", "verkaufte", "verkauft", "sell", "sold"),
    Verb("finden", "fand", "gefunden", "find", "found"),
    Verb("zählen", "zählte", "gezählt", "count", "counted"),
    Verb("zeichnen", "zeichnete", "gezeichnet", "draw", "drew"),
    Verb("sehen", "sah", "gesehen", "see", "saw"),
    Verb("suchen", "suchte", "gesucht", "look for", "looked for"),
    Verb("verlieren", "verlor", "verloren", "lose", "lost"),
]

# Plural, since there are always several of them.
THINGS = _phrases(
    "Äpfel=apples, Birnen=pears, Brezeln=pretzels, Bücher=books, Briefe=letters, Blumen=flowers, "
    "Kerzen=candles, Eier=eggs, Kuchen=cakes, Fahrräder=bicycles, Regenschirme=umbrellas, Tassen=cups, "
    "Katzen=cats, Enten=ducks, Stühle=chairs, Schlüssel=keys, Uhren=clocks, Hüte=hats"
)
ADJECTIVES = _phrases(
    "rote=red, alte=old, kleine=small, große=big, grüne=green, schöne=beautiful, schwarze=black, "
    "weiße=white, neue=new"
)
PLACES = _phrases(
    "auf dem Markt=at the market, im Garten=in the garden, am Bahnhof=at the station, "
    "in der Küche=in the kitchen, hinter dem Haus=behind the house, im Wald=in the forest, "
    "auf der Brücke=on the bridge, am Fluss=by the river"
)
CITIES = _phrases(
    "Köln=Cologne, München=Munich, Wien=Vienna, Zürich=Zurich, Genf=Geneva, Nürnberg=Nuremberg, "
    "Prag=Prague, Venedig=Venice, Hamburg=Hamburg, Berlin=Berlin"
)
BUILDINGS = _phrases(
    "die Burg=the castle, die Brücke=the bridge, der Turm=the tower, das Rathaus=the town hall, "
    "die Mühle=the mill, das kleine Theater=the little theatre"
)
ATTRACTIONS = _phrases(
    "das Museum=the museum, der Zoo=the zoo, die Burg=the castle, das kleine Theater=the little theatre, "
    "die Bibliothek=the library"
)
FEELINGS = _phrases("müde=tired, glücklich=happy, stolz=proud, traurig=sad, nervös=nervous")
OPINIONS = _phrases(
    "ich glaube=I believe, wir wissen=we know, alle sagen=everyone says, ich habe gehört=I have heard, "
    "in der Zeitung steht=the newspaper says"
)
MODALS = _phrases("will=wants to, muss=has to, möchte=would like to, kann=can, soll=should")

WEEKDAYS = _phrases(
    "Montag=Monday, Dienstag=Tuesday, Mittwoch=Wednesday, Donnerstag=Thursday, Freitag=Friday, "
    "Samstag=Saturday, Sonntag=Sunday"
)
MONTHS = _phrases(
    "Januar=January, Februar=February, März=March, April=April, Mai=May, Juni=June, Juli=July, "
    "August=August, September=September, Oktober=October, November=November, Dezember=December"
)
# In the dative plural, as after vor and in.
PERIODS = _phrases("Tagen=days, Wochen=weeks, Monaten=months, Jahren=years")
PAST = _phrases(
    "gestern=yesterday, heute Morgen=this morning, letzte Woche=last week, letztes Jahr=last year"
)
FUTURE = _phrases(
    "morgen=tomorrow, heute Abend=this evening, nächste Woche=next week, nächstes Jahr=next year"
)
