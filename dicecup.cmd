@echo off
rem Run Dicecup out of this clone; the first run sets up .venv in it. The same as ./dicecup, for Windows.
setlocal
call "%~dp0tools\python.cmd" dicecup || exit /b 2
%python% -I -S "%~dp0tools\launch.py" dicecup %*
exit /b %errorlevel%
