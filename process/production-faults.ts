import type { EnvironmentReader } from './environment';
import { KEY_VARIABLES, type Keys, SERVICES, SUBGRAPHS } from './keys';
import { ASKS } from './asks';
import type { Settings } from './settings';

/** What production needs: every key of the services that run here, the database, addresses; nothing that weakens it. */
export function faultsInProduction(settings: Settings, reader: EnvironmentReader): string[] {
  const { services, keys, rateLimitsOff, databaseUrl, clockOffsetSeconds } = settings;
  const faults: string[] = [];
  if (SUBGRAPHS.some((subgraph) => services.has(subgraph)) && databaseUrl === undefined)
    faults.push('DATABASE_URL: missing; production uses a PostgreSQL of its own');
  for (const [key, { variable, services: users }] of Object.entries(KEY_VARIABLES)) {
    const needed = users.some((service) => services.has(service));
    if (needed && keys[key as keyof Keys] === undefined)
      faults.push(`${variable}: missing (npm run admin -- create-keys makes a set)`);
  }
  faults.push(...publicAddressFaults(settings, reader), ...serviceAddressFaults(settings, reader));
  faults.push(...mailFaults(settings, reader));
  if (reader.text('MPXN_PROFILE') === undefined)
    faults.push(
      'MPXN_PROFILE: missing; spec takes meter point numbers as the specification has them, gb 13-digit MPANs, too',
    );
  if (settings.webhookAllowLoopback)
    faults.push('WEBHOOK_ALLOW_LOOPBACK: true is for development; webhooks are not delivered to this machine');
  if (rateLimitsOff) faults.push('RATE_LIMITS: off is for tests and benches only');
  if (clockOffsetSeconds !== undefined)
    faults.push('CLOCK_CAN_MOVE: the clock is not moved in production, nor by CLOCK_OFFSET_SECONDS');
  return faults;
}

/** Links to customers and alerts to organisations go through a mail server, and come from an address that the world knows. */
function mailFaults({ services, smtpUrl }: Settings, reader: EnvironmentReader): string[] {
  if (!services.has('identity') && !services.has('access')) return [];
  const faults: string[] = [];
  if (smtpUrl === undefined)
    faults.push('SMTP_URL: missing; the mail server that links to customers and alerts to organisations go through');
  const isKnown = ['MAIL_FROM', 'IDENTITY_REDIRECT_URL', 'PORTAL_URL'].some((name) => reader.text(name) !== undefined);
  if (!isKnown && !services.has('identity'))
    faults.push('MAIL_FROM: missing; the address that mails are from (no-reply@ the host of PORTAL_URL otherwise)');
  return faults;
}

/** Addresses that the world knows: who needs them, since a default would point to this machine. */
const PUBLIC_ADDRESSES = [
  { variable: 'BASE_URL', setting: 'baseUrl', users: SERVICES, what: 'the public address of Interface A' },
  { variable: 'PORTAL_URL', setting: 'portalUrl', users: ['identity', 'portal'], what: 'that of the customer portal' },
  {
    variable: 'CONSOLE_URL',
    setting: 'consoleUrl',
    users: ['console'],
    what: 'that of the console of the back office',
  },
] as const;
const THIS_MACHINE = /^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/;

/** Addresses that stand below another one, unless they are given one of their own. */
const DERIVED_ADDRESSES = [
  { variable: 'IDENTITY_REDIRECT_URL', setting: 'identityRedirectUrl' },
  { variable: 'LEGACY_BASE_URL', setting: 'legacyBaseUrl' },
  { variable: 'REGISTER_URL', setting: 'registerUrl' },
  { variable: 'SUPPLIER_URL', setting: 'supplierUrl' },
] as const;

function publicAddressFaults(settings: Settings, reader: EnvironmentReader): string[] {
  const faults: string[] = [];
  for (const { variable, setting, users, what } of PUBLIC_ADDRESSES) {
    if (!users.some((user) => settings.services.has(user))) continue;
    if (reader.text(variable) === undefined) faults.push(`${variable}: missing; ${what}`);
    else faults.push(...publicFaults(variable, settings[setting]));
  }
  for (const { variable, setting } of DERIVED_ADDRESSES)
    if (reader.text(variable) !== undefined) faults.push(...publicFaults(variable, settings[setting]));
  return faults;
}

function publicFaults(variable: string, address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { protocol, hostname } = new URL(address);
  const faults: string[] = [];
  if (protocol !== 'https:') faults.push(`${variable}: not https`);
  if (THIS_MACHINE.test(hostname)) faults.push(`${variable}: names this machine, not a public address`);
  return faults;
}

const URL_VARIABLES = {
  gateway: 'GATEWAY_URL',
  access: 'ACCESS_URL',
  identity: 'IDENTITY_URL',
  'grid-models': 'GRID_MODELS_URL',
  tariffs: 'TARIFFS_URL',
} as const;

function serviceAddressFaults({ services }: Settings, reader: EnvironmentReader): string[] {
  const faults: string[] = [];
  for (const service of Object.keys(URL_VARIABLES) as (keyof typeof URL_VARIABLES)[]) {
    const variable = URL_VARIABLES[service];
    const users = [...services].filter((user) => ASKS[user]?.includes(service));
    if (users.length > 0 && !services.has(service) && reader.text(variable) === undefined)
      faults.push(`${variable}: missing; ${users.join(' and ')} asks ${service}`);
  }
  return faults;
}
