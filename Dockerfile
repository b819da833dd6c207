# Notewell on a home server. See docs/home-server.md.
#
#   docker build -t notewell .
#   docker run --rm -p 127.0.0.1:8765:8765 --read-only --tmpfs /tmp --cap-drop ALL \
#     -v ~/Notes:/vault:ro -v notewell-data:/data -v notewell-models:/models notewell
#
# Untested: no container engine was available when this was written; it was only linted.

FROM node:22-bookworm-slim AS pages
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY esbuild.config.mjs tsconfig.json manifest.json ./
COPY plugin plugin
COPY sidecar/notewell/doors/web sidecar/notewell/doors/web
RUN npm run build && npm run build:web

FROM python:3.12-slim-bookworm AS package
WORKDIR /src
COPY pyproject.toml README.md LICENSE THIRD_PARTY_NOTICES.md ./
COPY sidecar sidecar
COPY packages packages
COPY --from=pages /src/sidecar/notewell/doors/web/static sidecar/notewell/doors/web/static
COPY --from=pages /src/sidecar/notewell/doors/obsidian/built sidecar/notewell/doors/obsidian/built
RUN python -m venv /opt/notewell && /opt/notewell/bin/pip install --no-cache-dir \
    . ./packages/notewell-eval ./packages/notewell-postgres ./packages/notewell-zotero

FROM python:3.12-slim-bookworm
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data notewell \
    && install -d -o notewell -g notewell -m 0700 /data /models \
    && install -d -o notewell -g notewell -m 0755 /vault
COPY --from=package /opt/notewell /opt/notewell
ENV PATH=/opt/notewell/bin:$PATH \
    HOME=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    NOTEWELL_DATA_DIR=/data \
    NOTEWELL_MODEL_DIR=/models \
    NOTEWELL_SERVER_HOST=0.0.0.0
USER 10001:10001
WORKDIR /data
VOLUME ["/data", "/models"]
EXPOSE 8765
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8765/api/health', timeout=4)"]
ENTRYPOINT ["notewell"]
CMD ["serve", "/vault"]
