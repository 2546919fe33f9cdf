@echo off
rem Called by dicecup.cmd and check.cmd with their name: set "python" to a command that starts
rem Python 3.11 or newer, or say that there is none. No language is known yet: all four are used.
set "PYTHONHOME="
set "PYTHONPATH="
if defined DICECUP_PYTHON goto named
call :try py -3 && exit /b 0
call :try python && exit /b 0
call :try python3 && exit /b 0
goto none

:named
call :try "%DICECUP_PYTHON%" && exit /b 0

:none
for /f "tokens=2 delims=:." %%p in ('chcp') do set "page=%%p"
chcp 65001 >nul
>&2 echo %~1: Python 3.11 or newer is needed but wasn’t found; install it from https://www.python.org/downloads/ and run this again.
>&2 echo %~1: Python 3.11 ou plus récent est nécessaire mais introuvable ; installez-le depuis https://www.python.org/downloads/, puis relancez.
>&2 echo %~1: Python 3.11 oder neuer wird gebraucht, wurde aber nicht gefunden; installiere es von https://www.python.org/downloads/ und starte noch einmal.
>&2 echo %~1: Python 3.11 eller nyare behövs men hittades inte; installera det från https://www.python.org/downloads/ och kör igen.
chcp %page% >nul
exit /b 2

:try
rem "call", because python may be a batch file, as that of pyenv is.
call %* -E -s -c "import sys; sys.exit(sys.version_info < (3, 11))" >nul 2>&1 || exit /b 1
set python=%*
exit /b 0
