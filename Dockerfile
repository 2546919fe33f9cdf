# The web app in a container: docs/operations.md says how to run it, deploy/compose.yaml runs it with
# PostgreSQL and a TLS proxy. All packages come from the lock files, with their hashes.
FROM python:3.13-slim-bookworm AS build
WORKDIR /opt/dicecup
COPY . .
RUN ./dicecup --version \
    && for part in postgresql solver pdf; do .venv/bin/python -I -S tools/launch.py install "$part" || exit 1; done

FROM python:3.13-slim-bookworm
RUN useradd --uid 10001 --home-dir /var/lib/dicecup --create-home --skel /dev/null --shell /usr/sbin/nologin dicecup
COPY --from=build /opt/dicecup /opt/dicecup
ENV DICECUP_DATA=/var/lib/dicecup \
    DICECUP_CACHE=/var/lib/dicecup/cache \
    DICECUP_LOG_FORMAT=json \
    DICECUP_LOG_LEVEL=info \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /var/lib/dicecup
VOLUME /var/lib/dicecup
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 \
    CMD ["/opt/dicecup/.venv/bin/python", "-I", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=8)"]
ENTRYPOINT ["/opt/dicecup/.venv/bin/python", "-P", "-m", "dicecup"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--no-browser"]
