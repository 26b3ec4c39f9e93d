import type { KeyObject } from 'node:crypto';
import pino, { type Logger } from 'pino';
import { generatedKey } from '../../process/settings/generated-key';
import { SERVICES } from '../../process/settings/keys';
import type { CalledService } from '../../process/settings/settings';
import type { ServiceName } from '../../subgraphs/server/callers/caller';
import { type ServiceLink, serviceLink } from '../../subgraphs/server/link/link-client';
import type { LinkHandler } from '../../subgraphs/server/link/link-server';
import { type ServiceIdentity, publicKeyText, serviceIdentity } from '../../subgraphs/server/link/service-identity';
import {
  type ServiceServer,
  type ServiceServerOptions,
  serveService,
} from '../../subgraphs/server/link/service-server';

/** Returns a new private key of a service. */
export function newServiceKey(): KeyObject {
  return generatedKey('ed25519');
}

/** Services of one installation in this process, each with its own key; all listen on free ports. */
export class LinkedServices {
  /** Log lines of all services. */
  readonly lines: string[] = [];
  readonly logger: Logger = pino(
    { level: 'info', base: null },
    { write: (line: string) => void this.lines.push(line) },
  );
  private readonly keys = new Map<ServiceName, KeyObject>(SERVICES.map((name) => [name, newServiceKey()]));
  private readonly publicKeys = new Map<string, ServiceName>();
  private readonly closers: (() => unknown)[] = [];

  constructor() {
    for (const [name, key] of this.keys) this.publicKeys.set(publicKeyText(key), name);
  }

  /** Returns the identity of a service; with another key, that of an impostor with the same name. */
  identity(name: ServiceName, key = this.keys.get(name) as KeyObject): ServiceIdentity {
    return serviceIdentity(name, key, this.publicKeys);
  }

  /** Starts the server of a service. */
  async serve(
    name: ServiceName,
    handle: LinkHandler,
    options: Partial<ServiceServerOptions> = {},
  ): Promise<ServiceServer & { readonly url: string }> {
    const ready = () => Promise.resolve(true);
    const address = { port: 0, host: '127.0.0.1', logger: this.logger };
    const server = await serveService({ identity: this.identity(name), handle, ready, ...address, ...options });
    this.closers.unshift(server.close);
    return { ...server, url: `https://127.0.0.1:${server.port}` };
  }

  /** Returns the link from a service to the server at a URL. */
  link(from: ServiceName, to: CalledService, url: string, identity = this.identity(from)): ServiceLink {
    const link = serviceLink(identity, to, url, this.logger);
    this.closers.unshift(() => link.close());
    return link;
  }

  async close(): Promise<void> {
    for (const close of this.closers) await close();
  }
}
