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
  readonly production: boolean;
  /** What the sandbox holds, in place of the contract's examples: so that "Try it out" works as it stands. */
  readonly samples?: (() => Samples | undefined) | undefined;
  readonly record: RecordRequest;
}

/** Values of the sandbox, by the kind of the contract's example that they replace. */
export interface Samples {
  readonly accessKey: string;
  readonly identityRecord: string;
  readonly duid: string;
  readonly mpxn: string;
}

/** The contract's own examples. */
const EXAMPLES: Samples = {
  accessKey: 'ak_5d3f9a1c7be2048643d1e0fa',
  identityRecord: 'ir_19c2e47ab0d35f8611a2b3c4',
  duid: 'duid_0a1b2c3d4e5f60718293a4b5',
  mpxn: '991234567890',
};

/** Serves the contract at `/openapi.json` and a page to read and try it at `/docs`, without anything from the internet. */
export function serveReference(app: FastifyInstance, reference: Reference): void {
  const { record, samples } = reference;
  const folder = join(dirname(createRequire(__filename).resolve('@fastify/swagger-ui')), 'static');
  const serve = (path: string, type: string, content: () => string | Buffer): void => {
    app.get(path, (request: FastifyRequest, reply: FastifyReply) => {
      const [transactionId, startedAt] = [newIdentifier('tid'), performance.now()];
      reply.headers({
        'content-type': type,
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': CSP,
        'transaction-id': transactionId,
      });
      reply.send(content());
      record({ transactionId, method: request.method, route: path, status: 200, startedAt });
    });
  };
  const document = JSON.stringify(servedDocument(reference));
  serve('/openapi.json', 'application/json; charset=utf-8', () => withSamples(document, samples?.()));
  serve('/docs', 'text/html; charset=utf-8', () => PAGE);
  serve('/docs/reference.js', 'text/javascript; charset=utf-8', () => SCRIPT);
  for (const [file, type] of Object.entries(ASSETS)) {
    const content = readFileSync(join(folder, file));
    serve(`/docs/${file}`, type, () => content);
  }
}

function withSamples(document: string, samples: Samples | undefined): string {
  if (!samples) return document;
  const kinds = Object.keys(EXAMPLES) as (keyof Samples)[];
  return kinds.reduce((text, kind) => text.replaceAll(EXAMPLES[kind], samples[kind]), document);
}

/**
 * The document with this installation's address, and the meter point numbers of its profile. Outside production the page may be read
 * under another name of this machine: the address beside it comes first.
 */
export function servedDocument(
  { document, baseUrl, production }: Pick<Reference, 'document' | 'baseUrl' | 'production'>,
  profile: MpxnProfile = MPXN_PROFILE,
): OpenApiDocument {
  const served = structuredClone(document) as OpenApiDocument & {
    servers: unknown;
    components: { schemas: { Mpxn: { pattern: string } } };
  };
  const beside = { url: new URL(baseUrl).pathname, description: 'This register, where this page is.' };
  const published = { url: baseUrl, description: 'This register.' };
  served.servers = production ? [published] : [beside, published];
  if (profile === 'gb') served.components.schemas.Mpxn.pattern = `${MPXN_PATTERN.source}|^[0-9]{13}$|^[0-9]{6,10}$`;
  return served;
}
