# Built once, and run without packages and without the embedded Postgres: a container is given a database.
# The image is named once and by FROM, where Dependabot sees it.
FROM node:24.22.1-alpine3.24 AS node

FROM node AS build
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

FROM node
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
