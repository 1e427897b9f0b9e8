# One image for each service, and one with the commands of operators. `docker compose build` builds all of them, and gives their version.

# The exact version that package-lock.json has for development: a test compares them.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# The manifests alone, so that packages are installed again only if one of these changes.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY . .
RUN find . ! -name package.json ! -name package-lock.json ! -name .npmrc \( -type f -o -type d -empty \) -delete

# All packages, once; each image then leaves out what it does not need.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY --from=manifests /app .
# TypeScript is run as it is: workspaces stay links, since Node strips no types below node_modules.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --ignore-scripts --no-audit \
 && find node_modules -name '*.map' -type f -delete
COPY . .

# The pages that the console serves, its own and those for integrators, made with the packages of developers, which no image has.
FROM ${NODE_IMAGE} AS pages
WORKDIR /app
COPY --from=manifests /app .
RUN --mount=type=cache,target=/root/.npm \
    npm ci --ignore-scripts --no-audit
COPY . .
RUN node services/console/build.ts --force \
 && node tools/generate/main.ts types \
 && node tools/generate/main.ts guide

FROM packages AS service-build
ARG SERVICE
COPY --from=pages /app/services/console/dist services/console/dist
COPY --from=pages /app/services/console/reference services/console/reference
RUN node tools/image/main.ts "services/${SERVICE}" && rm -r package-lock.json .npmrc tsconfig.base.json docs CHANGELOG.md
# Compiled code, as `npm start` has it: a service without settings loads all of its code, says what is missing, and ends. The
# cache of a user serves that user alone, so it is made by the one that runs the service.
ENV NODE_COMPILE_CACHE=/app/.compile-cache
RUN install -d -o node -g node "$NODE_COMPILE_CACHE"
USER node
WORKDIR /app/services/${SERVICE}
RUN node --max-semi-space-size=16 --heap-growing-percent=60 --expose-gc main.ts 2>&1 | grep -q 'settings in the environment' \
 && test -n "$(ls "$NODE_COMPILE_CACHE")"

FROM ${NODE_IMAGE} AS service
ARG SERVICE
ARG VERSION=unknown
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="facility-platform/${SERVICE}" \
      org.opencontainers.image.description="The service ${SERVICE} of the facility platform" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.licenses="UNLICENSED"
ENV NODE_ENV=production \
    BUILD_VERSION=${VERSION} \
    BUILD_REVISION=${REVISION} \
    NODE_COMPILE_CACHE=/app/.compile-cache \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=262144
COPY --from=service-build /app /app
WORKDIR /app/services/${SERVICE}
# By number, so that an orchestrator sees that it is not root.
USER 1000:1000
# Ready, not only alive: what depends on it waits for this. Orchestrators ask /readyz and /healthz themselves.
HEALTHCHECK --interval=5s --timeout=30s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# Node itself is the process that gets the signals. For memory, see docs/decisions/memory-at-rest.md; the arguments are those of `npm start`.
ENTRYPOINT ["node", "--max-semi-space-size=16", "--heap-growing-percent=60", "--expose-gc", "main.ts"]

FROM packages AS operations-build
RUN node tools/image/main.ts services/* tools/ops && rm -r package-lock.json .npmrc tsconfig.base.json docs CHANGELOG.md

# The verbs of `npm run ops`.
FROM ${NODE_IMAGE} AS operations
ARG VERSION=unknown
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="facility-platform/operations" \
      org.opencontainers.image.description="Commands for operators of the facility platform" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.licenses="UNLICENSED"
# npm would write its log and cache into a root file system that is read-only.
ENV NODE_ENV=production \
    npm_config_cache=/tmp/.npm \
    npm_config_logs_max=0 \
    npm_config_update_notifier=false
COPY --from=operations-build /app /app
WORKDIR /app
USER 1000:1000
ENTRYPOINT ["npm", "run", "--silent", "ops", "--"]
CMD ["--help"]
