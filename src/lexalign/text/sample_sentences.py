"""A few everyday sentences in many languages, for what is tried on a model before it has seen any text.

All languages say the same; where there are none in a model's language, it gets English, of which it carries
over names and numbers at least.
"""

from lexalign.text.languages import primary

_SENTENCES = {
    "ar": """البيت الأحمر بجانب النهر ملك لأخي.
اشترت هذا الصباح 12 تفاحة ورغيف خبز.
سنلتقي أمام المحطة في الساعة السابعة والنصف.
اعتمد البرلمان القانون الجديد في مارس 2019.
من فضلك أغلق النافذة قبل أن تغادر الغرفة.
عمل والدي في هذا المصنع أكثر من 30 عاما.
يلعب الأطفال في الحديقة رغم أن المطر يهطل.
لا أعرف لماذا لم يحفظ الحاسوب الملف.""",
    "bg": """Червената къща до реката принадлежи на брат ми.
Тази сутрин тя купи 12 ябълки и един хляб.
Ще се срещнем пред гарата в седем и половина.
Новият закон беше приет от парламента през март 2019 г.
Моля, затворете прозореца, преди да излезете от стаята.
Баща ми работи в този завод повече от 30 години.
Децата играят в градината, въпреки че вали дъжд.
Не знам защо компютърът не запази файла.""",
    "cs": """Červený dům u řeky patří mému bratrovi.
Dnes ráno koupila 12 jablek a bochník chleba.
Sejdeme se před nádražím v půl osmé.
Nový zákon schválil parlament v březnu 2019.
Než opustíte místnost, zavřete prosím okno.
Můj otec pracuje v této továrně více než 30 let.
Děti si hrají na zahradě, ačkoli prší.
Nevím, proč počítač soubor neuložil.""",
    "da": """Det røde hus ved floden tilhører min bror.
Hun købte 12 æbler og et brød i morges.
Vi mødes foran stationen klokken halv otte.
Den nye lov blev vedtaget af parlamentet i marts 2019.
Luk venligst vinduet, før du forlader værelset.
Min far har arbejdet på denne fabrik i mere end 30 år.
Børnene leger i haven, selv om det regner.
Jeg ved ikke, hvorfor computeren ikke gemte filen.""",
    "de": """Das rote Haus am Fluss gehört meinem Bruder.
Sie hat heute Morgen 12 Äpfel und ein Brot gekauft.
Wir treffen uns um halb acht vor dem Bahnhof.
Das neue Gesetz wurde im März 2019 vom Parlament angenommen.
Bitte schließen Sie das Fenster, bevor Sie das Zimmer verlassen.
Mein Vater arbeitet seit mehr als 30 Jahren in dieser Fabrik.
Die Kinder spielen im Garten, obwohl es regnet.
Ich weiß nicht, warum der Computer die Datei nicht gespeichert hat.""",
    "el": """Το κόκκινο σπίτι δίπλα στο ποτάμι ανήκει στον αδελφό μου.
Σήμερα το πρωί αγόρασε 12 μήλα και ένα καρβέλι ψωμί.
Θα συναντηθούμε μπροστά στον σταθμό στις επτά και μισή.
Ο νέος νόμος εγκρίθηκε από το κοινοβούλιο τον Μάρτιο του 2019.
Παρακαλώ κλείστε το παράθυρο πριν φύγετε από το δωμάτιο.
Ο πατέρας μου εργάζεται σε αυτό το εργοστάσιο πάνω από 30 χρόνια.
Τα παιδιά παίζουν στον κήπο, αν και βρέχει.
Δεν ξέρω γιατί ο υπολογιστής δεν αποθήκευσε το αρχείο.""",
    "en": """The red house by the river belongs to my brother.
She bought 12 apples and a loaf of bread this morning.
We will meet in front of the station at half past seven.
The new law was adopted by parliament in March 2019.
Please close the window before you leave the room.
My father has worked in this factory for more than 30 years.
The children are playing in the garden although it is raining.
I do not know why the computer did not save the file.""",
    "es": """La casa roja junto al río pertenece a mi hermano.
Esta mañana compró 12 manzanas y una barra de pan.
Nos encontraremos delante de la estación a las siete y media.
La nueva ley fue aprobada por el parlamento en marzo de 2019.
Por favor, cierre la ventana antes de salir de la habitación.
Mi padre ha trabajado en esta fábrica durante más de 30 años.
Los niños juegan en el jardín aunque está lloviendo.
No sé por qué el ordenador no guardó el archivo.""",
    "fi": """Joen rannalla oleva punainen talo kuuluu veljelleni.
Hän osti tänä aamuna 12 omenaa ja leivän.
Tapaamme aseman edessä puoli kahdeksalta.
Parlamentti hyväksyi uuden lain maaliskuussa 2019.
Sulkekaa ikkuna ennen kuin lähdette huoneesta.
Isäni on työskennellyt tässä tehtaassa yli 30 vuotta.
Lapset leikkivät puutarhassa, vaikka sataa.
En tiedä, miksi tietokone ei tallentanut tiedostoa.""",
    "fr": """La maison rouge au bord de la rivière appartient à mon frère.
Elle a acheté 12 pommes et un pain ce matin.
Nous nous retrouverons devant la gare à sept heures et demie.
La nouvelle loi a été adoptée par le parlement en mars 2019.
Veuillez fermer la fenêtre avant de quitter la pièce.
Mon père travaille dans cette usine depuis plus de 30 ans.
Les enfants jouent dans le jardin bien qu'il pleuve.
Je ne sais pas pourquoi l'ordinateur n'a pas enregistré le fichier.""",
    "hi": """नदी के किनारे का लाल घर मेरे भाई का है।
उसने आज सुबह 12 सेब और एक रोटी खरीदी।
हम साढ़े सात बजे स्टेशन के सामने मिलेंगे।
नया कानून संसद ने मार्च 2019 में पारित किया।
कृपया कमरे से जाने से पहले खिड़की बंद कर दें।
मेरे पिता इस कारखाने में 30 से अधिक वर्षों से काम कर रहे हैं।
बच्चे बगीचे में खेल रहे हैं हालांकि बारिश हो रही है।
मुझे नहीं पता कि कंप्यूटर ने फ़ाइल क्यों नहीं सहेजी।""",
    "hu": """A folyó melletti piros ház a bátyámé.
Ma reggel vett 12 almát és egy kenyeret.
Fél nyolckor találkozunk az állomás előtt.
Az új törvényt a parlament 2019 márciusában fogadta el.
Kérem, csukja be az ablakot, mielőtt elhagyja a szobát.
Apám több mint 30 éve dolgozik ebben a gyárban.
A gyerekek a kertben játszanak, bár esik az eső.
Nem tudom, miért nem mentette el a számítógép a fájlt.""",
    "it": """La casa rossa vicino al fiume appartiene a mio fratello.
Questa mattina ha comprato 12 mele e una pagnotta.
Ci incontreremo davanti alla stazione alle sette e mezza.
La nuova legge è stata approvata dal parlamento nel marzo 2019.
Per favore, chiuda la finestra prima di lasciare la stanza.
Mio padre lavora in questa fabbrica da più di 30 anni.
I bambini giocano in giardino anche se piove.
Non so perché il computer non ha salvato il file.""",
    "ja": """川のそばの赤い家は私の兄のものです。
彼女は今朝りんごを12個とパンを買いました。
私たちは7時半に駅の前で会います。
新しい法律は2019年3月に議会で採択されました。
部屋を出る前に窓を閉めてください。
父は30年以上この工場で働いています。
雨が降っているのに子供たちは庭で遊んでいます。
なぜコンピューターがファイルを保存しなかったのかわかりません。""",
    "ko": """강가의 빨간 집은 우리 형의 것입니다.
그녀는 오늘 아침 사과 12개와 빵을 샀습니다.
우리는 일곱 시 반에 역 앞에서 만날 것입니다.
새로운 법은 2019년 3월에 의회에서 채택되었습니다.
방을 나가기 전에 창문을 닫아 주세요.
아버지는 이 공장에서 30년 넘게 일하셨습니다.
비가 오는데도 아이들이 정원에서 놀고 있습니다.
컴퓨터가 왜 파일을 저장하지 않았는지 모르겠습니다.""",
    "nl": """Het rode huis aan de rivier is van mijn broer.
Ze heeft vanmorgen 12 appels en een brood gekocht.
We ontmoeten elkaar om half acht voor het station.
De nieuwe wet werd in maart 2019 door het parlement aangenomen.
Sluit het raam voordat u de kamer verlaat.
Mijn vader werkt al meer dan 30 jaar in deze fabriek.
De kinderen spelen in de tuin, hoewel het regent.
Ik weet niet waarom de computer het bestand niet heeft opgeslagen.""",
    "pl": """Czerwony dom nad rzeką należy do mojego brata.
Dziś rano kupiła 12 jabłek i bochenek chleba.
Spotkamy się przed dworcem o wpół do ósmej.
Nowa ustawa została przyjęta przez parlament w marcu 2019 roku.
Proszę zamknąć okno przed wyjściem z pokoju.
Mój ojciec pracuje w tej fabryce od ponad 30 lat.
Dzieci bawią się w ogrodzie, chociaż pada deszcz.
Nie wiem, dlaczego komputer nie zapisał pliku.""",
    "pt": """A casa vermelha junto ao rio pertence ao meu irmão.
Ela comprou 12 maçãs e um pão esta manhã.
Vamos encontrar-nos em frente da estação às sete e meia.
A nova lei foi aprovada pelo parlamento em março de 2019.
Por favor, feche a janela antes de sair da sala.
O meu pai trabalha nesta fábrica há mais de 30 anos.
As crianças brincam no jardim embora esteja a chover.
Não sei por que o computador não guardou o ficheiro.""",
    "ro": """Casa roșie de lângă râu aparține fratelui meu.
Ea a cumpărat 12 mere și o pâine în această dimineață.
Ne vom întâlni în fața gării la șapte și jumătate.
Noua lege a fost adoptată de parlament în martie 2019.
Vă rog să închideți fereastra înainte de a părăsi camera.
Tatăl meu lucrează în această fabrică de peste 30 de ani.
Copiii se joacă în grădină, deși plouă.
Nu știu de ce computerul nu a salvat fișierul.""",
    "ru": """Красный дом у реки принадлежит моему брату.
Сегодня утром она купила 12 яблок и буханку хлеба.
Мы встретимся перед вокзалом в половине восьмого.
Новый закон был принят парламентом в марте 2019 года.
Пожалуйста, закройте окно, прежде чем выйти из комнаты.
Мой отец работает на этом заводе более 30 лет.
Дети играют в саду, хотя идёт дождь.
Я не знаю, почему компьютер не сохранил файл.""",
    "sv": """Det röda huset vid floden tillhör min bror.
Hon köpte 12 äpplen och en limpa bröd i morse.
Vi träffas framför stationen klockan halv åtta.
Den nya lagen antogs av parlamentet i mars 2019.
Stäng fönstret innan du lämnar rummet.
Min far har arbetat i den här fabriken i mer än 30 år.
Barnen leker i trädgården fastän det regnar.
Jag vet inte varför datorn inte sparade filen.""",
    "tr": """Nehir kenarındaki kırmızı ev kardeşime ait.
Bu sabah 12 elma ve bir somun ekmek aldı.
Saat yedi buçukta istasyonun önünde buluşacağız.
Yeni yasa Mart 2019'da parlamento tarafından kabul edildi.
Lütfen odadan çıkmadan önce pencereyi kapatın.
Babam 30 yıldan fazla bir süredir bu fabrikada çalışıyor.
Yağmur yağmasına rağmen çocuklar bahçede oynuyor.
Bilgisayarın dosyayı neden kaydetmediğini bilmiyorum.""",
    "uk": """Червоний будинок біля річки належить моєму братові.
Сьогодні вранці вона купила 12 яблук і хлібину.
Ми зустрінемося перед вокзалом о пів на восьму.
Новий закон був прийнятий парламентом у березні 2019 року.
Будь ласка, зачиніть вікно, перш ніж вийти з кімнати.
Мій батько працює на цьому заводі понад 30 років.
Діти граються в саду, хоча йде дощ.
Я не знаю, чому комп'ютер не зберіг файл.""",
    "zh": """河边的红房子是我哥哥的。
她今天早上买了12个苹果和一条面包。
我们七点半在车站前见面。
新法律于2019年3月由议会通过。
离开房间之前请关上窗户。
我父亲在这家工厂工作了30多年。
虽然在下雨，孩子们还在花园里玩。
我不知道电脑为什么没有保存文件。""",
}


def sample_sentences(language: str | None) -> list[str]:
    return _SENTENCES.get(primary(language) if language else "en", _SENTENCES["en"]).splitlines()
