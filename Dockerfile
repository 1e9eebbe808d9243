# The program in an image of its own: docker build --tag rollbook .
FROM node:24-bookworm-slim AS build
WORKDIR /opt/rollbook
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json openapi.json CHANGELOG.md ./
COPY scripts scripts
COPY docs docs
COPY site site
COPY packages packages
COPY src src
COPY console console
COPY test test
COPY bench bench
RUN node scripts/build.mjs && rm -rf dist/test dist/bench && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/var/lib/rollbook
# Used without DATABASE_URL only: the built-in PostgreSQL keeps its data here.
RUN install --directory --owner=node --group=node --mode=0700 /var/lib/rollbook
VOLUME /var/lib/rollbook
WORKDIR /opt/rollbook
COPY --from=build /opt/rollbook/package.json ./
COPY --from=build /opt/rollbook/node_modules node_modules
COPY --from=build /opt/rollbook/dist dist
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||8080)+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# docker run … rollbook doctor, rollbook org list, …
ENTRYPOINT ["node", "--max-semi-space-size=8", "/opt/rollbook/dist/src/main.js"]
CMD ["serve", "--no-demo"]
