import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MPXN_PATTERN } from '../schema/identifiers';
import { MPXN_PROFILE, type MpxnProfile } from '../schema/mpxn';
import type { OpenApiDocument } from './contract';
import { newIdentifier } from '../schema/identifiers';
import type { RecordRequest } from './telemetry';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Central Data Access Register, Interface A</title>
    <link rel="stylesheet" href="docs/swagger-ui.css" />
    <link rel="icon" href="docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/reference.js"></script>
  </body>
</html>
`;

const SCRIPT = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'list', validatorUrl: null });
`;

const CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

/** What the reference page needs to be served. */
export interface Reference {
  readonly document: OpenApiDocument;
  readonly baseUrl: string;
  readonly record: RecordRequest;
}

/** Serves the contract at `/openapi.json` and a page to read and try it at `/docs`, without anything from the internet. */
export function serveReference(app: FastifyInstance, { document, baseUrl, record }: Reference): void {
  const folder = join(dirname(createRequire(__filename).resolve('@fastify/swagger-ui')), 'static');
  const serve = (path: string, type: string, content: string | Buffer): void => {
    app.get(path, (request: FastifyRequest, reply: FastifyReply) => {
      const [transactionId, startedAt] = [newIdentifier('tid'), performance.now()];
      reply.headers({
        'content-type': type,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': CSP,
        'transaction-id': transactionId,
      });
      reply.send(content);
      record({ transactionId, method: request.method, route: path, status: 200, startedAt });
    });
  };
  serve('/openapi.json', 'application/json; charset=utf-8', JSON.stringify(servedDocument(document, baseUrl)));
  serve('/docs', 'text/html; charset=utf-8', PAGE);
  serve('/docs/reference.js', 'text/javascript; charset=utf-8', SCRIPT);
  for (const [file, type] of Object.entries(ASSETS)) serve(`/docs/${file}`, type, readFileSync(join(folder, file)));
}

/** The document with this installation's address, and the meter point numbers of its profile. */
export function servedDocument(
  document: OpenApiDocument,
  baseUrl: string,
  profile: MpxnProfile = MPXN_PROFILE,
): OpenApiDocument {
  const served = structuredClone(document) as OpenApiDocument & {
    servers: unknown;
    components: { schemas: { Mpxn: { pattern: string } } };
  };
  served.servers = [{ url: baseUrl, description: 'This register.' }];
  if (profile === 'gb') served.components.schemas.Mpxn.pattern = `${MPXN_PATTERN.source}|^[0-9]{13}$|^[0-9]{6,10}$`;
  return served;
}
