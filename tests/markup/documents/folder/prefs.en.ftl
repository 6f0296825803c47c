### Preferences
pref-title = Preferences
pref-hint = Press { "{" } to open, see { pref-title }.
