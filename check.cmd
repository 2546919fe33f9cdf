@echo off
rem Run every check of this clone; the first run sets up .venv in it. The same as ./check, for Windows.
setlocal
call "%~dp0tools\python.cmd" check || exit /b 2
%python% -I -S "%~dp0tools\launch.py" check %*
exit /b %errorlevel%
