import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newIdentifier } from '../../schema/identifiers';
import { MPXN_PROFILE, type MpxnProfile } from '../../schema/mpxn';
import type { Contract, OpenApiDocument } from '../contract/contract';
import type { PublicAddresses } from '../contract/installation';
import type { RestInterface } from '../contract/interfaces';
import type { RecordRequest } from './telemetry';

/** Swagger UI does not wrap the descriptions of tags on a phone. */
const NARROW = `@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; min-width: 0; padding: 0; overflow-wrap: anywhere; }
}`;

/** Returns the page of one interface, with links to the others. Its assets are next to the page of Interface A. */
function page({ name, documentPath, referencePath }: RestInterface, all: readonly RestInterface[]): string {
  const up = '../'.repeat(referencePath.split('/').length - 2);
  const links = all.map((each) =>
    each.name === name
      ? `<a href="${up}${each.referencePath.slice(1)}" aria-current="page">${each.name}</a>`
      : `<a href="${up}${each.referencePath.slice(1)}">${each.name}</a>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Central Data Access Register, ${name}</title>
    <link rel="stylesheet" href="${up}docs/swagger-ui.css" />
    <link rel="icon" href="${up}docs/favicon-32x32.png" />
    <style>${NARROW}</style>
  </head>
  <body>
    <nav class="swagger-ui" aria-label="Interfaces"><p class="wrapper">${links.join(' · ')}</p></nav>
    <div id="reference" data-contract="${up}${documentPath.slice(1)}"></div>
    <script src="${up}docs/swagger-ui-bundle.js"></script>
    <script src="${up}docs/reference.js"></script>
  </body>
</html>
`;
}

const SCRIPT = `const { contract } = document.getElementById('reference').dataset;
SwaggerUIBundle({ url: contract, dom_id: '#reference', deepLinking: true, docExpansion: 'list', validatorUrl: null });
`;

const CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

/** Dependencies and settings of the reference pages. */
interface Reference {
  readonly contracts: readonly Contract[];
  readonly addresses: PublicAddresses;
  readonly production: boolean;
  /** Returns values of the sandbox that replace the contract's examples, so that "Try it out" works unchanged. */
  readonly samples?: (() => Samples | undefined) | undefined;
  readonly record: RecordRequest;
}

/** Values of the sandbox, by the example of the contract that they replace. */
export interface Samples {
  readonly accessKey: string;
  readonly identityRecord: string;
  readonly duid: string;
  readonly mpxn: string;
  /** Email address of the sandbox's customer. Another one would contest the customer's identity. */
  readonly email?: string;
  /** A supplier, one of its tariffs, and an RTI User; absent while the sandbox has no tariffs. */
  readonly mpid?: string;
  readonly tariffId?: string;
  readonly userId?: string;
}

/** Examples in the contracts. Those of Interface C already name a project of the sandbox. */
const EXAMPLES: Required<Samples> = {
  accessKey: 'ak_5d3f9a1c7be2048643d1e0fa',
  identityRecord: 'ir_19c2e47ab0d35f8611a2b3c4',
  duid: 'duid_0a1b2c3d4e5f60718293a4b5',
  mpxn: '991234567890',
  email: 'resident@wexbridge.example',
  mpid: 'LARK',
  tariffId: 'trf_0d4f8a1be7c92035f6418d2a9c3b5e70',
  userId: 'usr_5b0e1c7d94a2f3864d1e0fa25c7b9a13',
};

/** Serves the contracts, each with a page to read and try it. Needs no internet access. */
export function serveReference(app: FastifyInstance, reference: Reference): void {
  const { contracts, record, samples } = reference;
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
  const all = contracts.map(({ restInterface }) => restInterface);
  for (const contract of contracts) {
    const document = JSON.stringify(servedDocument({ ...reference, contract }));
    serve(contract.restInterface.documentPath, 'application/json; charset=utf-8', () =>
      withSamples(document, samples?.()),
    );
    serve(contract.restInterface.referencePath, 'text/html; charset=utf-8', () => page(contract.restInterface, all));
  }
  serve('/docs/reference.js', 'text/javascript; charset=utf-8', () => SCRIPT);
  for (const [file, type] of Object.entries(ASSETS)) {
    const content = readFileSync(join(folder, file));
    serve(`/docs/${file}`, type, () => content);
  }
}

function withSamples(document: string, samples: Samples | undefined): string {
  if (!samples) return document;
  const kinds = Object.keys(EXAMPLES) as (keyof Samples)[];
  return kinds.reduce((text, kind) => text.replaceAll(EXAMPLES[kind], samples[kind] ?? EXAMPLES[kind]), document);
}

/**
 * Returns the document with the addresses of this installation and the meter point numbers of the profile. In
 * development the page's own origin comes first, because the page may be opened under another host name.
 */
export function servedDocument(
  { contract, addresses, production }: { contract: Contract } & Pick<Reference, 'addresses' | 'production'>,
  profile: MpxnProfile = MPXN_PROFILE,
): OpenApiDocument {
  const served = structuredClone(contract.document) as OpenApiDocument & ServedParts;
  const { pathname } = new URL(addresses.baseUrl);
  const beside = {
    url: contract.restInterface.basePath === '' ? '/' : pathname,
    description: 'This register, where this page is.',
  };
  for (const part of [served, ...Object.values(served.paths)]) {
    if (!part.servers) continue;
    const published = part.servers.map((server) => publishedServer(server, contract, addresses));
    part.servers = production ? published : [beside, ...published];
  }
  const { Mpxn } = served.components.schemas;
  if (profile === 'gb' && Mpxn) Mpxn.pattern += '|^[0-9]{13}$|^[0-9]{6,10}$';
  return served;
}

/** A server of an OpenAPI document. */
interface Server {
  readonly url: string;
  readonly description: string;
  readonly variables?: Readonly<Record<string, object>>;
}

interface ServedParts {
  servers?: Server[];
  readonly paths: Record<string, Record<string, unknown> & { servers?: Server[] }>;
  readonly components: { readonly schemas: { readonly Mpxn?: { pattern: string } } };
}

/**
 * Sets the addresses of a server. `{register_url}` and `{supplier_url}` stay variables of the document; settings supply
 * their defaults.
 */
function publishedServer(server: Server, { restInterface }: Contract, addresses: PublicAddresses): Server {
  const url = restInterface.publicAddress(addresses);
  if (!server.variables) return { ...server, url };
  const { registerUrl = url, supplierUrl = url } = addresses;
  const values: Readonly<Record<string, string>> = { register_url: registerUrl, supplier_url: supplierUrl };
  const variables = Object.entries(server.variables).map(([name, variable]) => [
    name,
    { ...variable, default: values[name] ?? url },
  ]);
  return { ...server, variables: Object.fromEntries(variables) as Record<string, object> };
}
