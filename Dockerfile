# Builds the packages as they are published and installs them without development tools. The image runs as an
# unprivileged user, writes below /data and /tmp only, and works with a read-only root.
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY . .
# No dependency needs an install script.
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN npm run pack
WORKDIR /app
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund /source/.tmp/pack/*.tgz

FROM node:24-bookworm-slim
ENV NODE_ENV=production
# The store, the configuration and the keys are in the home directory.
ENV HOME=/data
COPY --from=build /app /app
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 4747
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4747/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/node_modules/coppice/bin/coppice.mjs"]
CMD ["serve", "--host", "0.0.0.0", "--port", "4747", "--no-open"]
