import { randomBytes } from 'node:crypto';
import { remoteFileStore } from '../rest-adapter/files/remote-file-store';
import { remoteKeySet } from '../rest-adapter/responses/remote-key-set';
import { samplesOf } from '../sandbox/sandbox-file';
import { loadSandbox } from '../sandbox/sandbox';
import { generatedSchema } from '../schema/generated-schema';
import { publicKeys } from '../subgraphs/server/callers/bearer-token';
import { SERVICES, SUBGRAPHS } from './settings/keys';
import { load } from './service-loaders';
import { restSettings } from './settings/settings';
import type { Startup } from './startup';

/** Starts the gateway over links to all subgraphs. */
export async function startGateway(startup: Startup): Promise<void> {
  const { wiring, settings, logger, metrics } = startup;
  const { supergraphSdl, audiences, clientSdl, trustedDocuments } = generatedSchema();
  const { host, ports, production, trustProxy, rateLimitsOff } = settings;
  const ready = wiring.readiness();
  const gateway = await load.gateway().startGateway({
    supergraphSdl,
    audiences,
    clientSdl,
    trustedDocuments,
    links: SUBGRAPHS.map((subgraph) => wiring.link(subgraph, 'gateway')),
    ready,
    verifier: wiring.verifier('gateway'),
    settings: { port: ports.gateway, host, production, trustProxy, rateLimitsOff },
    logger,
    metrics,
    landing: { explorer: !production, sampleKey: () => startup.demo?.samples.access_keys.active },
  });
  startup.gateway = gateway;
  startup.addServer('gateway', gateway);
  await wiring.addGateway(gateway.client, { ready, sockets: gateway.serviceSockets });
}

/** Starts the REST adapter. It uses the key set and the grid files of this process, or else those of other processes. */
export async function startRestAdapter(startup: Startup): Promise<void> {
  const { wiring, settings, logger, metrics } = startup;
  const adapter = await load['rest-adapter']().startRestAdapter({
    graph: wiring.graph('rest-adapter'),
    schema: startup.gateway?.apiSchema ?? load.supergraph().apiSchemaOf(generatedSchema().supergraphSdl),
    keySet: wiring.runs('access')
      ? () => Promise.resolve(publicKeys(wiring.signing()))
      : remoteKeySet(wiring.keySetUrl(), wiring.fetch('access', 'rest-adapter')),
    files:
      startup.gridModels?.files ??
      remoteFileStore(settings.serviceUrls['grid-models'], wiring.requests('grid-models', 'rest-adapter')),
    samples: () => startup.demo && samplesOf(startup.demo),
    settings: restSettings(settings),
    logger,
    metrics,
  });
  startup.addServer('rest', adapter);
}

/** Starts the customer portal. */
export async function startPortal(startup: Startup): Promise<void> {
  const { wiring, logger } = startup;
  const { host, ports, production, trustProxy, portalUrl, identityRedirectUrl, supportUrl, privacyUrl, limits } =
    startup.settings;
  const portal = await load.portal().startPortal({
    graph: wiring.graph('portal'),
    settings: {
      port: ports.portal,
      host,
      portalUrl,
      identityRedirectUrl,
      supportUrl,
      privacyUrl,
      mailLimit: limits.mails,
      production,
      trustProxy,
    },
    key: wiring.keys(['portalKey']).portalKey,
    logger,
  });
  startup.addServer('portal', portal);
}

/** Starts the console of the back office. */
export async function startConsole(startup: Startup): Promise<void> {
  const { wiring, settings, logger } = startup;
  const { host, ports, production, trustProxy, consoleUrl, baseUrl } = settings;
  const console = await load.console().startConsole({
    graph: wiring.graph('console'),
    gateway: startup.gateway ?? { url: settings.serviceUrls.gateway, agent: wiring.agent('gateway', 'console') },
    settings: { port: ports.console, host, consoleUrl, filesUrl: new URL(baseUrl).origin, production, trustProxy },
    key: wiring.keys(['consoleKey']).consoleKey,
    logger,
  });
  startup.addServer('console', console);
}

/**
 * Outside production, a process with all services loads demo data, starts a supplier sign-in and writes the demo logins
 * to a file.
 */
export async function startSandbox(startup: Startup): Promise<void> {
  const { settings, accounts, started } = startup;
  const { production, services, dataDir, host, portalUrl, identityRedirectUrl, sandboxPorts } = settings;
  if (production || services.size < SERVICES.length || accounts === undefined) return;
  const redirectUris = [`${portalUrl}/sign-in/supplier/callback`];
  const client = { id: 'central-data-access-register', secret: randomBytes(32).toString('base64url') };
  const supplier = await load.supplier().startSupplier({ port: sandboxPorts.oidc, host, redirectUris, client });
  started.add(supplier.close);
  const { gateway, rest, portal, console } = startup.urls as Record<'gateway' | 'rest' | 'portal' | 'console', string>;
  const urls = { gateway, rest, portal, console, identity: identityRedirectUrl };
  startup.demo = await loadSandbox({ dataDir, urls, mailbox: startup.mailbox?.url, accounts, supplier });
}
