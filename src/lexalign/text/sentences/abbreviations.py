"""Uses of the full stop in a language: abbreviations, ordinals, and words that begin sentences.

An abbreviation of the kind `never` ends no sentence ("Dr."), one of the kind `seldom` ends one if the next
word is capitalised only at the beginning of a sentence ("etc. The"), and one of the kind `numbered` is one
only before a number ("No. 5", German "Art. 5" beside "Art"). Lower-case entries match capitalised words too.
"""

from dataclasses import dataclass
from functools import cache

from lexalign.text.languages import primary

_NEVER = {
    "de": "allg Anm bes bezgl bspw bzgl bzw ca dgl Dipl Dr Dres ebd einschl engl entspr evtl exkl Fa Fam "
    "frz franz Frl geb gegr ggf ggfs griech Hg hl Hr Hrn Hrsg Ing inkl insb insbes ital jew kath "
    "kfm lat lfd Mag Med mind österr Pfr Prof Priv-Doz resp röm sog Sr St tägl urspr Univ vgl vmtl "
    "vs z.B zB z.Hd d.h dh i.e o.g s.o s.u v.a u.U i.d.R i.A i.V m.E wg zzgl zw",
    "en": "Mr Mrs Ms Mx Messrs Dr Drs Prof Gen Gov Sen Rep Rev Hon Capt Cmdr Cdr Col Cpl Lt Maj Sgt Adm "
    "Pres Msgr Supt Fr St Mt Ft e.g i.e eg ie cf viz vs approx esp incl excl ca fig figs Pvt Amb "
    "Atty Insp",
    "fr": "M MM Mme Mmes Mlle Mlles Mgr Me Dr Drs Pr Prof St Ste cf p.ex ex c.-à-d càd env av apr boul éd "
    "resp vs hab",
    "es": "Sr Sra Sres Sras Srta Dr Dra Dres D Dña Lic Ing Arq Prof Profa Gral Cnel Sto Sta p.ej ej vs Hnos",
    "pt": "Sr Sra Srs Sras Srta Dr Dra Drs Dras Prof Profa Exmo Exma V.Exa Eng Pe p.ex ex vs cf Cel Gal",
    "it": "Sig Sigg Sig.ra Dott Dott.ssa Dr Prof Prof.ssa Ing Avv Arch On Gen Col Egr Gent Spett p.es es "
    "cfr vs",
    "ro": "dl dlui dna d-na d-l Dr Prof Ing Sf Conf Lect ex de.ex cca",
    "nl": "dhr mevr mw dr drs prof ir ing mr ds St bijv o.a d.w.z m.b.t t.a.v i.p.v m.n vgl resp ca evt "
    "incl excl",
    "ru": "т.е т.к т.н т.о см ср им ул пр просп стр рис проф акад св напр гр д-р г-н г-жа пос обл",
    "uk": "т.зв див ім вул просп проф акад св напр п-н",
    "pl": "np tzn tj tzw ul al dr prof mgr inż św ks gen im ok m.in zob wg płk por",
    "cs": "např tj tzv mj ing mgr mudr judr dr prof sv č str mil mld resp cca",
    "sv": "t.ex bl.a d.v.s dvs s.k ca dr prof f.d fr.o.m t.o.m",
    "da": "f.eks bl.a dvs d.v.s ca dr prof hr fr pga ifm mht",
    "nb": "f.eks bl.a dvs d.v.s ca dr prof hr fr pga ifm",
    "hu": "pl kb dr prof ún ill",
    "fi": "esim mm ns tri prof nk ks",
    "tr": "örn bkz Dr Prof Doç Av Sn Yrd",
    "el": "π.χ δηλ κ κα κος βλ σελ αρ",
    "hi": "डॉ डा पं प्रो स्व कु श्रीम",
}
# Titles before names in texts of any language.
_TITLES = "Dr Prof Mr Mrs Ms Messrs Mme Mlle St Capt Cmdr Col Gen Gov Lt Maj Sgt Rev Sen Jos Wm vs"
_SELDOM = {
    "de": "Abb Abs Abschn Abt a.D Anl Apr Aufl Aug Ausg Bd Bde Betr Chr Co Corp d.J d.M Dez e.G e.K e.V "
    "etc Feb ff Hbf Inc i.R Jan Jg Jh Jhd Jhdt Jhs Jr Jul Jun k.A Kap Ltd Mär Min Mio Mrd n.Chr "
    "v.Chr Nov Nr Nrn o.ä Okt o.J Rdnr Rn Sek sen Sep Sept St.-Nr Std Str Tel Tsd u.a ua u.ä usf "
    "u.s.w usw u.v.m u.v.a Verf z.T z.Z z.Zt Ziff zit",
    "en": "al Inc Ltd Co Corp Bros Jr Sr Esq U.S U.K U.N U.S.A E.U a.m p.m Ph.D M.D B.A M.A B.Sc M.Sc "
    "D.C L.A Jan Feb Apr Jun Jul Aug Sep Sept Oct Nov Dec Ave Blvd Rd Bldg Dept Assn Univ Sq Apt "
    "Tel ed eds Ala Ariz Calif Colo Conn Fla Mass Mich Minn Okla Penn Tenn Tex Va Wis",
    "fr": "J.-C janv févr fév avr juil sept oct nov déc chap réf tél Sté Cie apr.J.-C av.J.-C",
    "es": "EE.UU EE UU a.m p.m ene feb abr ago sept oct nov dic a.C d.C S.A Cía Avda Av Ud Uds Vd Vds tel",
    "pt": "a.C d.C Ltda S.A jan fev abr jun jul ago nov dez Av tel séc E.U.A EUA Cia",
    "it": "feb apr ott nov dic a.C d.C S.p.A S.r.l tel sec",
    "ro": "dvs ș.a ş.a ș.a.m.d ş.a.m.d î.Hr d.Hr î.e.n e.n nr alin pct tel S.A S.R.L",
    "nl": "enz etc e.d a.u.b jl feb mrt apr aug sept okt nov dec B.V N.V tel blz",
    "ru": "т.д т.п др пр г гг в вв руб коп тыс млн млрд трлн н.э тел долл чел",
    "uk": "т.д т.п та.ін ін р рр ст грн тис млн млрд н.е тел",
    "pl": "itd itp r w tys mln mld zł godz nr tel",
    "cs": "atd apod aj Kč hod tel tis",
    "sv": "osv m.m m.fl etc kl tel",
    "da": "osv m.m m.fl m.v mv etc kl tlf",
    "nb": "osv m.m m.fl m.v mv etc kl tlf",
    "hu": "stb Ft tel évf",
    "fi": "ym yms jne klo puh",
    "tr": "vb vs vd Tel",
    "el": "κ.λπ κλπ κ.ά κ.τ.λ μ.μ π.μ μ.Χ π.Χ",
    "hi": "",
}
_NUMBERED = {
    "de": "Art Tab max min rd Pos lit Bl Seite Anh Fig Vol",
    "en": "no nos p pp vol vols ch chap sec secs art arts para paras par eq eqs ver ref pt op tel ext est "
    "max min fol app pl",
    "fr": "art n no nos p pp vol chap fig al pl réf ann",
    "es": "núm n no art arts pág págs cap fig vol tel",
    "pt": "n no art arts pág págs cap fig vol núm tel",
    "it": "art artt n nr pag pagg p cap fig vol tel",
    "ro": "art lit pag p cap vol fig",
    "nl": "nr nrs art p pp",
}
_STARTERS = {
    "de": "Aber Ab Alle Allerdings Als Also Am An Auch Auf Aus Außerdem Bei Beide Beim Bis Da Dabei "
    "Dadurch Dafür Dagegen Daher Damit Danach Daneben Dann Daran Darauf Daraus Darin Darum Darüber "
    "Das Dass Davon Davor Dazu Denn Dennoch Der Deren Des Deshalb Dem Den Die Dies Diese Diesem "
    "Diesen Dieser Dieses Doch Dort Du Durch Ebenso Ein Eine Einem Einen Einer Eines Einige Er Erst "
    "Es Etwa Falls Für Gegen Hat Hier Hierbei Hierzu Hinter Ich Ihr Ihre Ihren Im In Insgesamt Ist "
    "Ja Jede Jeder Jedes Jedoch Jetzt Kann Kein Keine Man Manche Manchmal Vielleicht Mein Meine Mit "
    "Nach Nachdem Neben Nein Nicht Noch Nun Nur Ob Obwohl Oder Ohne Leider Natürlich Schließlich "
    "Sein Seine Seit Seitdem Sie Sind So Sobald Sofern Solche Sondern Sonst Sowohl Statt Trotz "
    "Trotzdem Über Übrigens Um Und Uns Unser Unsere Unter Viele Vom Von Vor Wann War Warum Was "
    "Während Weder Wegen Weil Weitere Welche Wenn Wer Werden Wie Wir Wird Wo Wurde Zu Zudem Zum Zur "
    "Zwar Zwischen",
    "en": "A After Again All Also Although An And Another Any Are As At Because Before Both But By "
    "Despite During Each Even Every For From Furthermore Had Has Have He Her Here His How However I "
    "If In Indeed Is It Its Let Many Meanwhile Moreover Most My Nevertheless Not Nothing Now Of On "
    "Once Only Or Our Perhaps She Since So Some Such That The Their Then There Therefore These They "
    "This Those Though Thus To Today Under Until Was We Were What When Where Whether Which While "
    "Who Why With Without Yes Yet You Your",
    "fr": "À Ainsi Alors Après Au Aucun Aussi Aux Avant Avec Car Ce Cela Celle Celui Cependant Ces Cet "
    "Cette Chaque Comme Comment Dans De Depuis Des Donc Du Elle Elles En Enfin Ensuite Et Il Ils Je "
    "La Le Les Leur Lorsque Mais Malgré Même Mon Ne Nos Notre Nous On Or Où Par Pendant Plusieurs "
    "Pour Pourquoi Puis Quand Que Quel Quelle Qui Sa Sans Se Selon Ses Si Son Sous Sur Tandis Tous "
    "Tout Toutes Toutefois Très Un Une Voici Vos Votre Vous",
    "es": "Además Al Algunos Antes Aquí Así Aunque Cada Como Con Cuando Desde Después Donde Durante El Él "
    "Ella Ellos En Entonces Entre Era Es Esa Ese Eso Esta Está Estas Este Esto Estos Fue Ha Hasta "
    "Hay La Las Le Lo Los Más Mi Mientras Muchos Muy Nada Ni No Nosotros Otra Otro Para Pero Por "
    "Porque Que Qué Quien Se Según Si Sí Sin Sobre Son Su Sus También Todo Todos Tras Un Una Unos Y "
    "Ya Yo",
    "pt": "A Ao Aos Apesar Após As Assim Até Cada Com Como Depois Desde Durante E É Ela Elas Ele Eles Em "
    "Embora Enquanto Então Entre Era Essa Esse Esta Este Eu Foi Há Isso Isto Já Mas Muitos Na Nas "
    "Não No Nos Nós O Onde Os Ou Para Pela Pelo Por Porque Portanto Quando Que Quem São Se Segundo "
    "Sem Seu Seus Sobre Sua Suas Também Todos Um Uma Você",
    "it": "A Ai Al Alcuni Alla Anche Ancora Che Chi Ci Come Con Così Da Dal Dalla Del Della Di Dopo Dove "
    "Durante E È Ed Era Gli Ha I Il In Infatti Inoltre Io La Le Lei Lo Loro Lui Ma Mentre Nel Nella "
    "Noi Non O Ogni Per Perché Però Poi Prima Quando Quella Quello Questa Questo Questi Se Secondo "
    "Senza Si Sono Su Sul Tra Tutti Tutto Un Una Uno",
    "ro": "Acest Această Aceasta Aceste Acesta Aceștia Am Apoi Are Astfel Atunci Au Ca Când Care Cu Cum "
    "Dacă Dar De Deci Deși Deşi După Ea Ei El Ele Este Eu Fără În Însă Între Înainte La Mai Noi Nu "
    "O Pe Pentru Peste Prin Să Sau Și Şi Sunt Un Unii Va Vom",
    "ru": "А Без Был Была Были Было В Вот Все Всё Вы Где Да Для До Его Ее Её Если Есть За И Из Или Их К "
    "Как Когда Кто Мы На Не Но Об Однако Он Она Они Оно От По Потом При Поэтому С Сейчас Так Также "
    "Там То Тогда Только У Что Чтобы Эта Эти Это Этот Я",
}
# Where a number with a full stop is an ordinal.
_ORDINALS = frozenset(
    ("bs cs da de eo et eu fi fo hr hu is lb lt lv nb pl sk sl sr tr").split()  # noqa: SIM905
)
_CAPITALISED_NOUNS = frozenset(("de", "lb"))
# For a text of unknown language these are combined, without what is an ordinary word in one of them.
_FALLBACK_LANGUAGES = ("de", "en", "fr", "es", "pt", "it", "ro", "ru", "el", "hi")
_AMBIGUOUS = frozenset(
    (  # noqa: SIM905
        "al bes ed eds es ex hab jun min sec set out sen ver par pl p n d m ca gen feb "
        "Me On Pr Pe Med D M A E I O Y Am Are Ca Mai Man Son Va War"
    ).split()
)


@dataclass(frozen=True, kw_only=True)
class Conventions:
    """How a language uses the full stop."""

    never: frozenset[str]
    seldom: frozenset[str]
    numbered: frozenset[str]
    starters: frozenset[str]  # words that are capitalised only at the beginning of a sentence
    ordinals: bool  # "am 3. Mai"
    capitalised_nouns: bool  # so that a capital letter says little
    english: bool


def conventions_of(language: str | None) -> Conventions:
    """The conventions of a language, or combined ones if it is unknown."""
    code = primary(language) if language else ""
    code = "nb" if code in ("no", "nn") else code
    return _conventions(code if code in _NEVER or code in _ORDINALS else "")


@cache
def _conventions(code: str) -> Conventions:
    return Conventions(
        never=_forms(_words(_NEVER, code) | set(_TITLES.split())),
        seldom=_forms(_words(_SELDOM, code)),
        numbered=_forms(_words(_NUMBERED, code)),
        starters=frozenset(_words(_STARTERS, code)),
        ordinals=not code or code in _ORDINALS,
        capitalised_nouns=not code or code in _CAPITALISED_NOUNS,
        english=code in ("", "en"),
    )


def _words(lists: dict[str, str], code: str) -> set[str]:
    if code:
        return set(lists.get(code, "").split())
    return {word for language in _FALLBACK_LANGUAGES for word in lists.get(language, "").split()} - _AMBIGUOUS


def _forms(words: set[str]) -> frozenset[str]:
    """The words as they are, capitalised, and in capitals."""
    return frozenset(form for word in words for form in (word, word[0].upper() + word[1:], word.upper()))
