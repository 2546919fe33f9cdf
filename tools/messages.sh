# Sourced by tools/venv.sh: messages of the set-up, as printf formats, in the language of the locale.
# Every message must exist in all four languages.

case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
fr*)
    building='préparation dans .venv (une seule fois, environ une minute) …'
    no_python='Python 3.11 ou plus récent est nécessaire mais introuvable ; installez-le avec le gestionnaire de paquets de votre système, puis relancez.'
    old_python='Python 3.11 ou plus récent est nécessaire, seul Python %s a été trouvé ; installez-en un avec le gestionnaire de paquets de votre système, puis relancez.'
    no_venv='Python %s est là, mais sans ses modules venv et ensurepip ; installez le paquet python%s-venv (Debian, Ubuntu) ou un Python complet, puis relancez.'
    read_only='impossible d’écrire dans %s, où se fait la préparation ; rendez ce dossier accessible en écriture ou clonez ailleurs, puis relancez.'
    broken_venv='l’environnement virtuel n’a pas pu être créé ; vérifiez l’espace disque, puis relancez (détails dans %s).'
    no_packages='les paquets nécessaires n’ont pas pu être téléchargés et installés ; vérifiez la connexion réseau et l’espace disque, puis relancez (détails dans %s).'
    no_catalogues='les traductions n’ont pas pu être compilées (détails dans %s).'
    no_browser='aucun navigateur Chromium ou Chrome n’a été trouvé ni n’a pu être installé ; installez-en un avec le gestionnaire de paquets (Debian : apt install chromium) ou donnez son chemin dans DICECUP_BROWSER, puis relancez.'
    ;;
de*)
    building='Einrichtung in .venv (einmalig, etwa eine Minute) …'
    no_python='Python 3.11 oder neuer wird gebraucht, wurde aber nicht gefunden; bitte mit der Paketverwaltung des Systems installieren und noch einmal starten.'
    old_python='Python 3.11 oder neuer wird gebraucht, gefunden wurde nur Python %s; bitte mit der Paketverwaltung des Systems installieren und noch einmal starten.'
    no_venv='Python %s ist da, aber ohne die Module venv und ensurepip; bitte das Paket python%s-venv (Debian, Ubuntu) oder ein vollständiges Python installieren und noch einmal starten.'
    read_only='in %s, wo eingerichtet wird, kann nicht geschrieben werden; bitte den Ordner beschreibbar machen oder anderswohin klonen und noch einmal starten.'
    broken_venv='die virtuelle Umgebung konnte nicht angelegt werden; bitte den freien Speicherplatz prüfen und noch einmal starten (Einzelheiten in %s).'
    no_packages='die nötigen Pakete konnten nicht heruntergeladen und installiert werden; bitte die Netzverbindung und den freien Speicherplatz prüfen und noch einmal starten (Einzelheiten in %s).'
    no_catalogues='die Übersetzungen konnten nicht kompiliert werden (Einzelheiten in %s).'
    no_browser='kein Chromium oder Chrome wurde gefunden, und keines konnte installiert werden; bitte eines mit der Paketverwaltung installieren (Debian: apt install chromium) oder den Pfad in DICECUP_BROWSER nennen und noch einmal starten.'
    ;;
sv*)
    building='förbereder i .venv (en enda gång, ungefär en minut) …'
    no_python='Python 3.11 eller nyare behövs men hittades inte; installera det med systemets pakethanterare och kör igen.'
    old_python='Python 3.11 eller nyare behövs men bara Python %s hittades; installera ett nyare med systemets pakethanterare och kör igen.'
    no_venv='Python %s finns men saknar modulerna venv och ensurepip; installera paketet python%s-venv (Debian, Ubuntu) eller ett fullständigt Python och kör igen.'
    read_only='det går inte att skriva i %s, där allt förbereds; gör mappen skrivbar eller klona någon annanstans och kör igen.'
    broken_venv='den virtuella miljön kunde inte skapas; kontrollera ledigt diskutrymme och kör igen (detaljer i %s).'
    no_packages='de nödvändiga paketen kunde inte hämtas och installeras; kontrollera nätverket och ledigt diskutrymme och kör igen (detaljer i %s).'
    no_catalogues='översättningarna kunde inte kompileras (detaljer i %s).'
    no_browser='varken Chromium eller Chrome hittades och ingen av dem kunde installeras; installera en med pakethanteraren (Debian: apt install chromium) eller ange sökvägen i DICECUP_BROWSER och kör igen.'
    ;;
*)
    building='setting up in .venv (once, about a minute) …'
    no_python='Python 3.11 or newer is needed but was not found; install it with your system’s package manager and run this again.'
    old_python='Python 3.11 or newer is needed but only Python %s was found; install a newer one with your system’s package manager and run this again.'
    no_venv='Python %s is here, but without its modules venv and ensurepip; install the package python%s-venv (Debian, Ubuntu) or a complete Python and run this again.'
    read_only='cannot write to %s, where the set-up goes; make this folder writable or clone elsewhere and run this again.'
    broken_venv='the virtual environment could not be made; check the free disk space and run this again (details in %s).'
    no_packages='the packages needed could not be downloaded and installed; check the network connection and the free disk space and run this again (details in %s).'
    no_catalogues='the translations could not be compiled (details in %s).'
    no_browser='no Chromium or Chrome was found and none could be installed; install one with your package manager (Debian: apt install chromium) or name its path in DICECUP_BROWSER and run this again.'
    ;;
esac
