"""The messages of the set-up in four languages. No package is installed when they are needed."""

from __future__ import annotations

import os
import sys

SENTENCES = {
    "en": {
        "building": "setting up in .venv (once, about a minute) …",
        "adding": "installing what this needs into .venv (once, about a minute): {part} …",
        "read_only": "can’t write to {folder}, where the set-up goes; make this folder writable or clone "
        "elsewhere and run this again.",
        "broken_venv": "the virtual environment couldn’t be made; check the free disk space and run this "
        "again (details in {log}).",
        "no_packages": "the packages needed couldn’t be downloaded and installed; check the network "
        "connection and the free disk space and run this again (details in {log}).",
        "no_catalogues": "the translations couldn’t be compiled (details in {log}).",
        "no_browser": "no Chromium or Chrome was found and none could be installed; install one with your "
        "package manager (Debian: apt install chromium) or name its path in DICECUP_BROWSER and run this "
        "again.",
    },
    "fr": {
        "building": "préparation dans .venv (une seule fois, environ une minute)…",
        "adding": "installation du nécessaire dans .venv (une seule fois, environ une minute) : {part}…",
        "read_only": "impossible d’écrire dans {folder}, où se fait la préparation ; rendez ce dossier "
        "accessible en écriture ou clonez ailleurs, puis relancez.",
        "broken_venv": "l’environnement virtuel n’a pas pu être créé ; vérifiez l’espace disque, puis "
        "relancez (détails dans {log}).",
        "no_packages": "les paquets nécessaires n’ont pas pu être téléchargés et installés ; vérifiez la "
        "connexion réseau et l’espace disque, puis relancez (détails dans {log}).",
        "no_catalogues": "les traductions n’ont pas pu être compilées (détails dans {log}).",
        "no_browser": "aucun navigateur Chromium ou Chrome n’a été trouvé ni n’a pu être installé ; "
        "installez-en un avec le gestionnaire de paquets (Debian : apt install chromium) ou donnez son "
        "chemin dans DICECUP_BROWSER, puis relancez.",
    },
    "de": {
        "building": "Einrichtung in .venv (einmalig, etwa eine Minute) …",
        "adding": "was hierfür gebraucht wird, kommt nach .venv (einmalig, etwa eine Minute): {part} …",
        "read_only": "in {folder}, wo eingerichtet wird, kann nicht geschrieben werden; mach den Ordner "
        "beschreibbar oder klone anderswohin und starte noch einmal.",
        "broken_venv": "die virtuelle Umgebung konnte nicht angelegt werden; prüf den freien Speicherplatz "
        "und starte noch einmal (Einzelheiten in {log}).",
        "no_packages": "die nötigen Pakete konnten nicht heruntergeladen und installiert werden; prüf die "
        "Netzwerkverbindung und den freien Speicherplatz und starte noch einmal (Einzelheiten in {log}).",
        "no_catalogues": "die Übersetzungen konnten nicht kompiliert werden (Einzelheiten in {log}).",
        "no_browser": "kein Chromium oder Chrome wurde gefunden, und keines konnte installiert werden; "
        "installiere eines mit der Paketverwaltung (Debian: apt install chromium) oder nenn den Pfad in "
        "DICECUP_BROWSER und starte noch einmal.",
    },
    "sv": {
        "building": "förbereder i .venv (en enda gång, ungefär en minut) …",
        "adding": "installerar det som behövs i .venv (en enda gång, ungefär en minut): {part} …",
        "read_only": "det går inte att skriva i {folder}, där allt förbereds; gör mappen skrivbar eller "
        "klona någon annanstans och kör igen.",
        "broken_venv": "den virtuella miljön kunde inte skapas; kontrollera ledigt diskutrymme och kör igen "
        "(detaljer i {log}).",
        "no_packages": "de nödvändiga paketen kunde inte hämtas och installeras; kontrollera nätverket och "
        "ledigt diskutrymme och kör igen (detaljer i {log}).",
        "no_catalogues": "översättningarna kunde inte kompileras (detaljer i {log}).",
        "no_browser": "varken Chromium eller Chrome hittades och ingen av dem kunde installeras; installera "
        "en med pakethanteraren (Debian: apt install chromium) eller ange sökvägen i DICECUP_BROWSER och "
        "kör igen.",
    },
}


def language() -> str:
    """Return the language of the locale, or of Windows if no variable names one, else English."""
    names = (os.environ.get(variable) for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))
    code = (next(filter(None, names), "") or windows_language())[:2].lower()
    return code if code in SENTENCES else "en"


def windows_language() -> str:
    if sys.platform == "win32":
        import ctypes
        import locale

        return locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")
    return ""


def tell(name: str, sentence: str, **values: object) -> None:
    """Write a message to stderr, prefixed with the name of the script."""
    text = f"{name}: {SENTENCES[language()][sentence].format(**values)}\n"
    sys.stderr.buffer.write(text.encode(errors="backslashreplace"))
    sys.stderr.flush()
