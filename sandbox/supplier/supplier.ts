import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type RegisterClient, type RtiClient, TARIFF_AUDIENCE } from './supplier-clients';
import { type SupplierLogin, supplierPages } from './supplier-pages';
import { openIdProvider } from './supplier-provider';

/** Start options of the sandbox's supplier. */
interface SupplierOptions {
  /** 0 selects a free port. */
  readonly port: number;
  readonly host: string;
  /** Complete redirect URIs of the register's sign-in. */
  readonly redirectUris: readonly string[];
  /** The register as an OAuth client. */
  readonly client: RegisterClient;
  /** Customers; others can be added later. */
  readonly logins?: readonly SupplierLogin[];
}

/** A running energy supplier at which customers sign in and share their tariffs. */
export interface RunningSupplier {
  readonly issuer: string;
  /** Audience of the tokens of RTI Users: the register. */
  readonly audience: string;
  /** The register as an OAuth client. */
  readonly client: RegisterClient;
  /** Adds customers. */
  addLogins(logins: readonly SupplierLogin[]): void;
  /** Adds RTI Users as OAuth clients with which customers can share their tariffs. */
  addRtiClients(clients: readonly RtiClient[]): void;
  close(): Promise<void>;
}

/**
 * Starts the supplier of a sandbox: an OpenID provider with pages. It stores nothing and generates its keys at each
 * start.
 */
export async function startSupplier(options: SupplierOptions): Promise<RunningSupplier> {
  const server = createServer();
  const { host, client, redirectUris } = options;
  const issuer = `http://${host}:${await listening(server, options.port, host)}`;
  const logins = [...(options.logins ?? [])];
  const rtiClients: RtiClient[] = [];
  const provider = await openIdProvider(issuer, { client, redirectUris, logins, rtiClients });
  const handlePage = supplierPages(provider, logins);
  const handleProtocol = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!handlePage(request, response)) void handleProtocol(request, response);
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
