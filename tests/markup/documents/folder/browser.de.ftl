# Kommentar
-brand = Blitz
hallo = Hallo, { $name }!
    .title = Eine Begrüßung
dateien =
    { $n ->
        [one] Eine Datei
       *[other] { NUMBER($n) } Dateien
    }
teilen = Du hast { $n ->
        [one] ein Bild
       *[other] viele Bilder
    } in { -brand } geteilt.
lang =
    Eine Zeile
    und noch eine.

    Ein neuer Absatz.
