import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RegisterClient, type RtiClient, TARIFF_AUDIENCE } from './supplier-clients';
import { type SupplierLogin, supplierPages } from './supplier-pages';
import { openIdProvider } from './supplier-provider';

/** What the supplier of a sandbox is started with. */
export interface SupplierOptions {
  /** 0 is any free one. */
  readonly port: number;
  readonly host: string;
  /** Where customers who sign in to the register may be sent back to, each in full. */
  readonly redirectUris: readonly string[];
  /** The register as its client. */
  readonly client: RegisterClient;
  /** Its customers, so far. */
  readonly logins?: readonly SupplierLogin[];
}

/** An energy supplier at which customers sign in and share their tariffs, running. */
export interface RunningSupplier {
  readonly issuer: string;
  /** For whom the tokens of RTI Users are: the register. */
  readonly audience: string;
  /** The register as its client. */
  readonly client: RegisterClient;
  /** Customers more. */
  addLogins(logins: readonly SupplierLogin[]): void;
  /** RTI Users more, as clients with which customers share their tariffs. */
  addRtiClients(clients: readonly RtiClient[]): void;
  close(): Promise<void>;
}

/** Starts the supplier of a sandbox: a whole OpenID provider with pages. Keys are made at each start; nothing is kept. */
export async function startSupplier(options: SupplierOptions): Promise<RunningSupplier> {
  const server = createServer();
  const { host, client, redirectUris } = options;
  const issuer = `http://${host}:${await listening(server, options.port, host)}`;
  const logins = [...(options.logins ?? [])];
  const rtiClients: RtiClient[] = [];
  const provider = await openIdProvider(issuer, { client, redirectUris, logins, rtiClients });
  const answerPage = supplierPages(provider, logins);
  const answerProvider = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!answerPage(request, response)) void answerProvider(request, response);
  });
  return {
    issuer,
    audience: TARIFF_AUDIENCE,
    client,
    addLogins: (more) => void logins.push(...more),
    addRtiClients: (more) => void rtiClients.push(...more),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

async function listening(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}
