import { serveFileStore } from '../rest-adapter/files/file-store-routes';
import { launchPostgres } from '../sandbox/postgres/launch-postgres';
import { publicKeys } from '../subgraphs/server/callers/bearer-token';
import { serveMetrics } from '../subgraphs/server/observability/metrics-route';
import { load, loadServices } from './service-loaders';
import { exitWithoutDatabase } from './startup-error';
import type { Startup } from './startup';
import { KEY_SET_PATH } from './wiring';

/**
 * Uses the PostgreSQL of DATABASE_URL or of the subgraphs' own logins; without them, starts the embedded one in DATA_DIR. Loads the code of all
 * services of the process, meanwhile or before.
 */
export async function startDatabase(startup: Startup): Promise<void> {
  const { databaseUrl, services } = startup.settings;
  const { needsOwner } = startup.databases;
  const embeddedUrl = needsOwner && databaseUrl === undefined ? startEmbeddedPostgres(startup) : undefined;
  loadServices(services);
  const ownerUrl = (await embeddedUrl) ?? databaseUrl;
  if (needsOwner && ownerUrl !== undefined) startup.databases.setOwner(ownerUrl);
}

async function startEmbeddedPostgres({ settings, logger, started }: Startup): Promise<string> {
  const { dataDir } = settings;
  const postgres = await launchPostgres({ dataDir, log: logger, onLost: exitWithoutDatabase });
  started.add(() => postgres.stop());
  return postgres.url;
}

/** Outside production and without SMTP_URL, starts the sandbox's mailbox as mail server. */
export async function startMailbox(startup: Startup): Promise<void> {
  const { production, smtpUrl, host, sandboxPorts } = startup.settings;
  if (production || smtpUrl !== undefined) return;
  startup.mailbox = await load.mailbox().startMailbox({ port: sandboxPorts.mailbox, host });
  startup.started.add(startup.mailbox.close);
}

/** Starts the subgraph `identity`. */
export async function startIdentity(startup: Startup): Promise<void> {
  const { wiring, settings } = startup;
  const { portalUrl, identityRedirectUrl, relyingPartyId, mailFrom } = settings;
  const identity = await load.identity().startIdentity({
    ...startup.subgraphOptions('identity'),
    keys: wiring.subgraphKeys('identity'),
    urls: { portalUrl, identityRedirectUrl, relyingPartyId, smtpUrl: startup.smtpUrl(), mailFrom },
    access: wiring.laterLink('access', 'identity'),
  });
  await startup.addSubgraph('identity', identity);
}

/** Starts the subgraph `access`, which also publishes the public keys of bearer tokens. */
export async function startAccess(startup: Startup): Promise<void> {
  const { wiring, settings, metrics } = startup;
  const keys = wiring.keys(['tokenSigningKeys', 'accessHashKey', 'accessEncryptionKey']);
  const access = await load.access().startAccess({
    ...startup.subgraphOptions('access'),
    keys: { hashKey: keys.accessHashKey, encryptionKey: keys.accessEncryptionKey },
    signing: wiring.signing(),
    identity: wiring.link('identity', 'access'),
    mail: { smtpUrl: startup.smtpUrl(), mailFrom: settings.mailFrom },
    webhookAllowLoopback: settings.webhookAllowLoopback,
    discoveredMaxAgeDays: settings.discoveredMaxAgeDays,
    metrics,
  });
  startup.accounts = access.accounts;
  await startup.addSubgraph('access', access, (app) => {
    app.get(KEY_SET_PATH, () => publicKeys(wiring.signing()));
    serveMetrics(app, metrics, settings.production);
  });
}

/** Starts the subgraph `grid-models`, which also serves the bytes of grid files to the REST adapter. */
export async function startGridModels(startup: Startup): Promise<void> {
  const { wiring, settings } = startup;
  const gridModels = await load['grid-models']().startGridModels({
    ...startup.subgraphOptions('grid-models'),
    key: wiring.keys(['gridModelsKey']).gridModelsKey,
    access: wiring.laterLink('access', 'grid-models'),
    addedProfiles: settings.gridProfiles,
  });
  startup.gridModels = gridModels;
  await startup.addSubgraph('grid-models', gridModels, (app) => serveFileStore(app, gridModels.files));
}

/** Starts the subgraph `tariffs`. */
export async function startTariffs(startup: Startup): Promise<void> {
  const { wiring, settings, metrics } = startup;
  const tariffs = await load.tariffs().startTariffs({
    ...startup.subgraphOptions('tariffs'),
    keys: wiring.subgraphKeys('tariffs'),
    webhookAllowLoopback: settings.webhookAllowLoopback,
    metrics,
  });
  await startup.addSubgraph('tariffs', tariffs, (app) => serveMetrics(app, metrics, settings.production));
}
