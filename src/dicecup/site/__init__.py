"""The site: Dicecup as a folder of static files, which runs the same program in the browser."""
