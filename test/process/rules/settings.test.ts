import type { Environment } from '../../../process/settings/environment';
import { newKeyVariables } from '../../../process/settings/new-keys';
import { type Settings } from '../../../process/settings/settings';
import { readMigrationSettings } from '../../../process/settings/migration-settings';
import { SettingsError, readBackupSettings, readSettings } from '../../../process/settings/read-settings';

const BASE_URL = 'https://register.example/v1';
const OWNER_LOGIN = { DATABASE_URL: 'postgres://register@db.example/register' };
const SERVICE_LOGINS = Object.fromEntries(
  ['access', 'identity', 'grid_models', 'tariffs'].map((user) => [
    `${user.toUpperCase()}_DATABASE_URL`,
    `postgres://${user}:p@db.example/register`,
  ]),
);
let production: Environment;

beforeAll(async () => {
  production = {
    ...newKeyVariables(),
    NODE_ENV: 'production',
    ...SERVICE_LOGINS,
    BASE_URL,
    PORTAL_URL: 'https://portal.register.example',
    CONSOLE_URL: 'https://console.register.example',
    SMTP_URL: 'smtps://mail.example',
    MPXN_PROFILE: 'spec',
  };
});

/** Returns the problems of an environment. */
function problemsOf(environment: Environment): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

const wrongVariables = (environment: Environment) => problemsOf(environment).map((problem) => problem.split(':')[0]);

describe('The settings of an empty environment', () => {
  it('are those of docs/settings.md', () => {
    expect(readSettings({})).toMatchObject({
      production: false,
      host: 'localhost',
      ports: {
        gateway: 4000,
        'rest-adapter': 4001,
        portal: 4002,
        console: 4003,
        access: 4011,
        identity: 4012,
        'grid-models': 4013,
        tariffs: 4014,
      },
      databaseUrl: undefined,
      serviceDatabaseUrls: {},
      databasePool: 10,
      baseUrl: 'http://localhost:4001/v1',
      legacyBaseUrl: 'http://localhost:4001',
      legacySunset: new Date('2027-11-20T00:00:00Z'),
      registerUrl: 'http://localhost:4001',
      supplierUrl: 'http://localhost:4001',
      rateLimitsOff: false,
      limits: {
        requests: 600,
        failedSignIns: 10,
        verifyMisses: 20,
        existsMinute: 60,
        existsDay: 2_000,
        signIns: 10,
        mails: 3,
        gridFiles: 120,
        publicLookups: 120,
        contestAlert: 20,
      },
      portalUrl: 'http://localhost:4002',
      supportUrl: undefined,
      privacyUrl: undefined,
      consoleUrl: 'http://localhost:4003',
      webhookAllowLoopback: false,
      discoveredMaxAgeDays: undefined,
      identityRedirectUrl: 'http://localhost:4002/identify',
      relyingPartyId: 'localhost',
      smtpUrl: undefined,
      mailFrom: 'no-reply@localhost',
      sandboxPorts: { mailbox: 4004, oidc: 4005 },
      trustProxy: false,
      clockOffsetSeconds: undefined,
      logLevel: 'info',
      exportTraces: false,
      keys: {},
      gatewayLinkPort: 4010,
      serviceUrls: {
        gateway: 'https://localhost:4010',
        access: 'https://localhost:4011',
        identity: 'https://localhost:4012',
        'grid-models': 'https://localhost:4013',
        tariffs: 'https://localhost:4014',
      },
      serviceKeys: { own: {}, all: new Map() },
    });
    expect([...readSettings({}).services]).toEqual([
      'identity',
      'access',
      'grid-models',
      'tariffs',
      'gateway',
      'rest-adapter',
      'portal',
      'console',
    ]);
  });

  it('equal those of an environment in which all variables are empty', () => {
    const variables = [
      ...['SERVICES', 'HOST', 'GATEWAY_PORT', 'ACCESS_URL', 'BASE_URL', 'DATABASE_URL', 'DATA_DIR', 'RATE_LIMITS'],
      ...[
        'TRUST_PROXY',
        'CLOCK_CAN_MOVE',
        'CLOCK_OFFSET_SECONDS',
        'LOG_LEVEL',
        'MPXN_PROFILE',
        'OTEL_EXPORTER_OTLP_ENDPOINT',
      ],
      ...['LIMIT_REQUESTS', 'ACCESS_SERVICE_KEY', 'SERVICE_PUBLIC_KEYS', 'TOKEN_SIGNING_KEYS'],
    ];
    expect(readSettings(Object.fromEntries(variables.map((name) => [name, ''])))).toEqual(readSettings({}));
  });
});

const READ: [variable: string, text: string, setting: (settings: Settings) => unknown, value: unknown][] = [
  ['SERVICES', 'access, gateway', ({ services }) => [...services], ['access', 'gateway']],
  ['REST_PORT', '0', ({ ports }) => ports['rest-adapter'], 0],
  ['ACCESS_URL', 'https://access:4011/', ({ serviceUrls }) => serviceUrls.access, 'https://access:4011'],
  ['GATEWAY_LINK_PORT', '4810', ({ serviceUrls }) => serviceUrls.gateway, 'https://localhost:4810'],
  ['RATE_LIMITS', 'off', ({ rateLimitsOff }) => rateLimitsOff, true],
  ['LIMIT_REQUESTS', '1', ({ limits }) => limits.requests, 1],
  ['LIMIT_FAILED_SIGN_INS', '2', ({ limits }) => limits.failedSignIns, 2],
  ['DATABASE_POOL', '2', ({ databasePool }) => databasePool, 2],
  ['LIMIT_VERIFY_MISSES', '3', ({ limits }) => limits.verifyMisses, 3],
  ['LIMIT_EXISTS_MINUTE', '4', ({ limits }) => limits.existsMinute, 4],
  ['CONTEST_ALERT_PER_DAY', '5', ({ limits }) => limits.contestAlert, 5],
  ['LIMIT_SIGN_INS', '6', ({ limits }) => limits.signIns, 6],
  ['LIMIT_MAILS', '7', ({ limits }) => limits.mails, 7],
  ['LIMIT_GRID_FILES', '8', ({ limits }) => limits.gridFiles, 8],
  ['LIMIT_PUBLIC_LOOKUPS', '9', ({ limits }) => limits.publicLookups, 9],
  ['LTDS_DEFAULT_AREA', 'SPM', ({ ltdsDefaultArea }) => ltdsDefaultArea, 'SPM'],
  ['BASE_URL', 'https://r.example/a/v1', ({ registerUrl }) => registerUrl, 'https://r.example'],
  ['BASE_URL', 'https://r.example/a/v1', ({ legacyBaseUrl }) => legacyBaseUrl, 'https://r.example'],
  ['LEGACY_BASE_URL', 'https://b.example/', ({ legacyBaseUrl }) => legacyBaseUrl, 'https://b.example'],
  ['LEGACY_SUNSET', '2028-02-29', ({ legacySunset }) => legacySunset, new Date('2028-02-29T00:00:00Z')],
  ['REGISTER_URL', 'https://rti.example/', ({ registerUrl }) => registerUrl, 'https://rti.example'],
  ['SUPPLIER_URL', 'https://s.example', ({ supplierUrl }) => supplierUrl, 'https://s.example'],
  ['PORTAL_URL', 'https://p.example/', ({ identityRedirectUrl }) => identityRedirectUrl, 'https://p.example/identify'],
  ['PORTAL_URL', 'https://p.example', ({ relyingPartyId }) => relyingPartyId, 'p.example'],
  ['SUPPORT_URL', 'https://help.example/?a=b#c', ({ supportUrl }) => supportUrl, 'https://help.example/?a=b#c'],
  ['SMTP_URL', 'smtp://m.example:25', ({ smtpUrl }) => smtpUrl, 'smtp://m.example:25'],
  ['WEBHOOK_ALLOW_LOOPBACK', 'true', ({ webhookAllowLoopback }) => webhookAllowLoopback, true],
  ['DISCOVERED_MAX_AGE_DAYS', '90', ({ discoveredMaxAgeDays }) => discoveredMaxAgeDays, 90],
  ['DISCOVERED_MAX_AGE_DAYS', '36500', ({ discoveredMaxAgeDays }) => discoveredMaxAgeDays, 36_500],
  ['CONSOLE_PORT', '0', ({ ports }) => ports.console, 0],
  ['LIMIT_EXISTS_DAY', '5', ({ limits }) => limits.existsDay, 5],
  ['CLOCK_OFFSET_SECONDS', '-60', ({ clockOffsetSeconds }) => clockOffsetSeconds, -60],
  ['CLOCK_CAN_MOVE', 'true', ({ clockOffsetSeconds }) => clockOffsetSeconds, 0],
  ['CLOCK_CAN_MOVE', 'false', ({ clockOffsetSeconds }) => clockOffsetSeconds, undefined],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://c:4318', ({ exportTraces }) => exportTraces, true],
  ['TRUST_PROXY', 'true', ({ trustProxy }) => trustProxy, true],
  ['TRUST_PROXY', '2', ({ trustProxy }) => trustProxy, 2],
  ['TRUST_PROXY', '10.0.0.0/8, ::1,loopback', ({ trustProxy }) => trustProxy, ['10.0.0.0/8', '::1', 'loopback']],
];

describe('A variable', () => {
  it.each(READ)('%s=%s is read', (variable, text, setting, value) => {
    expect(setting(readSettings({ [variable]: text }))).toEqual(value);
  });

  it.each([
    ['SERVICES', 'portals'],
    ['PORTAL_URL', 'portal.example'],
    ['PORTAL_URL', 'https://register.example/portal'],
    ['SUPPORT_URL', 'javascript:alert(1)'],
    ['PRIVACY_URL', 'help@register.example'],
    ['WEBAUTHN_RP_ID', 'register.example'],
    ['SMTP_URL', 'http://mail.example'],
    ['MAIL_FROM', 'nobody'],
    ['GATEWAY_PORT', '65536'],
    ['GATEWAY_PORT', '6000'],
    ['PORTAL_PORT', '10080'],
    ['REST_PORT', 'http'],
    ['IDENTITY_URL', 'identity:4012'],
    ['BASE_URL', 'register.example'],
    ['BASE_URL', 'https://register.example/v1     the public address of Interface A'],
    ['BASE_URL', 'https://register.example/v1?'],
    ['BASE_URL', 'https://register.example'],
    ['CONSOLE_URL', 'https://console.register.example/#top'],
    ['SUPPORT_URL', 'https://help.example/ the help'],
    ['RATE_LIMITS', 'no'],
    ['LIMIT_REQUESTS', '0'],
    ['LIMIT_EXISTS_DAY', 'many'],
    ['TRUST_PROXY', 'yes'],
    ['TRUST_PROXY', '17'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1, proxy.example'],
    ['CLOCK_OFFSET_SECONDS', 'a day'],
    ['WEBHOOK_ALLOW_LOOPBACK', 'yes'],
    ['DISCOVERED_MAX_AGE_DAYS', '0'],
    ['DISCOVERED_MAX_AGE_DAYS', '36501'],
    ['CONSOLE_URL', 'console.example'],
    ['CONSOLE_URL', 'https://register.example/console'],
    ['REST_PORT', '4000'],
    ['CONSOLE_PORT', '4002'],
    ['LTDS_DEFAULT_AREA', 'ATLANTIS'],
    ['GRID_PROFILES', '/absent.json'],
    ['GRID_PROFILES', __filename],
    ['LEGACY_BASE_URL', 'consents.example'],
    ['LEGACY_SUNSET', '2027-02-29'],
    ['LEGACY_SUNSET', '20 November 2027'],
    ['REGISTER_URL', 'rti.example'],
    ['SUPPLIER_URL', 'ftp://supplier.example'],
    ['TARIFFS_URL', 'tariffs:4014'],
    ['LOG_LEVEL', 'loud'],
    ['MPXN_PROFILE', 'uk'],
    ['ACCESS_URL', 'http://access:4011'],
    ['GATEWAY_LINK_URL', 'http://gateway:4010'],
    ['GRID_MODELS_KEY', 'c2hvcnQ='],
    ['ACCESS_SERVICE_KEY', 'c2hvcnQ='],
    ['SERVICE_PUBLIC_KEYS', 'access'],
    ['SERVICE_PUBLIC_KEYS', `accounts=${'A'.repeat(43)}`],
    ['SERVICE_PUBLIC_KEYS', `access=${'A'.repeat(42)}`],
    ['SERVICE_PUBLIC_KEYS', `access=${'A'.repeat(43)},identity=${'A'.repeat(43)}`],
    ['TOKEN_SIGNING_KEYS', '{"keys":[]}'],
    ['TOKEN_SIGNING_KEYS', 'none'],
    ['DATABASE_POOL', '1'],
    ['DATABASE_POOL', '101'],
    ['DATABASE_POOL', 'many'],
    ['ACCESS_DATABASE_URL', 'database.example'],
    ['ACCESS_DATABASE_URL', 'postgres://database.example/register'],
    ['TARIFFS_DATABASE_URL', 'postgres://Tariffs:p@database.example/register'],
    ['IDENTITY_DATABASE_URL', 'mysql://identity:p@database.example/register'],
  ])('%s=%s is rejected, and the problem names the variable', (variable, text) => {
    expect([...new Set(wrongVariables({ [variable]: text }))]).toEqual([variable]);
  });

  it.each([
    ['/absent.json', 'there is no such file'],
    [__dirname, 'cannot be read (EISDIR)'],
    [__filename, 'must contain a JSON object with lists of URIs under EQ, SC and GL'],
  ])('GRID_PROFILES=%s is reported with its cause: %s', (path, cause) => {
    expect(problemsOf({ GRID_PROFILES: path })).toEqual([`GRID_PROFILES: ${path}: ${cause}`]);
  });

  it('may be the same port in processes of their own, and 0, a free port, for several services', () => {
    expect(problemsOf({ GATEWAY_PORT: '0', REST_PORT: '0' })).toEqual([]);
    expect(wrongVariables({ SERVICES: 'portal', PORTAL_PORT: '4000' })).not.toContain('PORTAL_PORT');
  });

  it('that is invalid is reported together with all others', () => {
    const wrong = { REST_PORT: 'x', LOG_LEVEL: 'loud', TRUST_PROXY: 'yes', LIMIT_REQUESTS: '0', ACCESS_URL: 'x' };
    expect(wrongVariables(wrong).toSorted()).toEqual(Object.keys(wrong).toSorted());
    expect(() => readSettings(wrong)).toThrow(/^some settings are missing or wrong:\n {2}- /);
  });

  it('with the login of a service must not have that of another service', () => {
    const url = 'postgres://register:p@database.example/register';
    expect(wrongVariables({ IDENTITY_DATABASE_URL: url, TARIFFS_DATABASE_URL: url })).toEqual(['TARIFFS_DATABASE_URL']);
  });

  it('with signing keys must have no key twice', () => {
    const text = production['TOKEN_SIGNING_KEYS'] as string;
    const { keys } = JSON.parse(text) as { keys: object[] };
    expect(wrongVariables({ TOKEN_SIGNING_KEYS: text })).toEqual([]);
    expect(problemsOf({ TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [...keys, ...keys] }) })).toEqual([
      'TOKEN_SIGNING_KEYS: no two keys may have the same kid',
    ]);
  });

  it('with signing keys must have pairs that belong together', () => {
    const [one, other] = [production, newKeyVariables()].map(
      ({ TOKEN_SIGNING_KEYS: text }) => (JSON.parse(text as string) as { keys: { x: string; d: string }[] }).keys[0],
    );
    const problemsWith = (change: object) =>
      problemsOf({ REST_PORT: 'x', TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [other, { ...one, ...change }] }) });
    const restPort = problemsOf({ REST_PORT: 'x' });
    expect(problemsWith({})).toEqual(restPort);
    const notOnePair = 'TOKEN_SIGNING_KEYS: the public key x of each key must belong to its private key d';
    expect(problemsWith({ x: other?.x }).toSorted()).toEqual([...restPort, notOnePair]);
    const noPrivateKey = 'TOKEN_SIGNING_KEYS: must be a JSON Web Key Set of private Ed25519 keys with kid';
    for (const change of [{ x: undefined }, { d: 'c2hvcnQ' }, { d: true }])
      expect(problemsWith(change).toSorted()).toEqual([...restPort, noPrivateKey]);
  });

  it('that contains a key is never quoted', () => {
    expect(
      problemsOf({
        GRID_MODELS_KEY: 'c2VjcmV0',
        ACCESS_DATABASE_URL: 'postgres://Access:c2VjcmV0@h/d',
        ACCESS_SERVICE_KEY: 'c2VjcmV0',
        TOKEN_SIGNING_KEYS: 'c2VjcmV0',
      }).join(),
    ).not.toContain('c2VjcmV0');
  });
});

describe('The database of the migration job', () => {
  const job = { ...SERVICE_LOGINS, ...OWNER_LOGIN };
  const withAccess = (url: string) => readMigrationSettings({ ...job, ACCESS_DATABASE_URL: url });

  it.each([
    'postgres://access:pw@db.example/former',
    'postgres://access:pw@db.example',
    'postgres://access:pw@pooler.example/former?options=-c%20x=y',
  ])('is that of each service: a service with %s would continue to serve another one', (url) => {
    expect(() => withAccess(url)).toThrow(
      'ACCESS_DATABASE_URL: its database is not that of DATABASE_URL; after a restore, change the URL of each service',
    );
  });

  it('is that of PGDATABASE in URLs without one', () => {
    const urls = Object.entries(job).map(([name, url]) => [name, url.replace(/\/register$/, '')]);
    const withoutName = Object.fromEntries(urls) as typeof job;
    expect(() => readMigrationSettings({ ...withoutName, PGDATABASE: 'register' })).not.toThrow();
    expect(() => readMigrationSettings(withoutName)).toThrow('ACCESS_DATABASE_URL: its database is not');
  });

  it.each(['pooler.example/register', 'db.example:6432/register', 'db.example/register?host=pooler.example'])(
    'may have another address for a service, such as that of a pooler (%s): the job warns',
    (address) => {
      const warning =
        'ACCESS_DATABASE_URL: its host or port is not that of DATABASE_URL; both must lead to the same server';
      expect(withAccess(`postgres://access:pw@${address}`).warnings).toEqual([warning]);
      expect(withAccess('postgresql://access:pw@db.example:5432/register').warnings).toEqual([]);
    },
  );
});

describe('A URL of a database', () => {
  const job = { ...SERVICE_LOGINS, ...OWNER_LOGIN };
  const problemsOfJob = (environment: Environment) => {
    try {
      return readMigrationSettings(environment).warnings;
    } catch (error) {
      if (error instanceof SettingsError) return error.problems;
      throw error;
    }
  };

  it.each(['postgres://identity:100%@db.example/register', 'postgres://identity%:p@db.example/register'])(
    'with a "%%" that encodes nothing is reported by its variable, without its password (%s)',
    (url) => {
      const report = ['IDENTITY_DATABASE_URL: write % in its user and password as %25'];
      expect(problemsOfJob({ ...job, IDENTITY_DATABASE_URL: url })).toEqual(report);
      expect(problemsOf({ ...production, IDENTITY_DATABASE_URL: url })).toEqual(report);
    },
  );

  it('with an encoded "%" is accepted', () => {
    const url = 'postgres://identity:100%25@db.example/register';
    expect(problemsOfJob({ ...job, IDENTITY_DATABASE_URL: url })).toEqual([]);
    expect(problemsOfJob({ ...job, DATABASE_URL: 'postgres://register:100%@db.example/register' })).toEqual([]);
  });

  it.each([
    ['foo', 'must be a postgres URL'],
    ['mysql://register@db.example/register', 'must be a postgres URL'],
    ['postgres://register%:p@db.example/register', 'write % in its user as %25'],
  ])('of the owner that is wrong is the only problem (%s)', (url, problem) => {
    expect(problemsOfJob({ ...job, DATABASE_URL: url })).toEqual([`DATABASE_URL: ${problem}`]);
  });
});

describe('NODE_ENV', () => {
  const job = { ...SERVICE_LOGINS, ...OWNER_LOGIN };

  it.each(['production', ' production '])('%j is production', (name) => {
    expect(readSettings({ ...production, NODE_ENV: name }).production).toBe(true);
    expect(readBackupSettings({ ...OWNER_LOGIN, NODE_ENV: name }).mayCreateFolder).toBe(false);
  });

  it.each([undefined, '', 'development', 'test'])('%j is a sandbox', (name) => {
    expect(readSettings({ NODE_ENV: name }).production).toBe(false);
    expect(readBackupSettings({ NODE_ENV: name }).mayCreateFolder).toBe(true);
  });

  it.each(['Production', 'prod', 'staging'])('%j is a problem, not a sandbox, for services and commands', (name) => {
    const problem = 'NODE_ENV: must be one of production, development, test';
    const misspelt = { NODE_ENV: name };
    expect(problemsOf({ ...production, ...misspelt })).toEqual([problem]);
    expect(() => readBackupSettings({ ...OWNER_LOGIN, ...misspelt })).toThrow(problem);
    expect(() => readMigrationSettings({ ...job, ...misspelt })).toThrow(problem);
  });
});

describe('The clock that the migration job installs', () => {
  const job = { ...SERVICE_LOGINS, ...OWNER_LOGIN };

  it.each([
    { CLOCK_OFFSET_SECONDS: '60' },
    { CLOCK_OFFSET_SECONDS: '0', CLOCK_CAN_MOVE: 'false' },
    { CLOCK_CAN_MOVE: 'true' },
    { CLOCK_CAN_MOVE: 'false', CLOCK_OFFSET_SECONDS: '' },
    {},
  ])('with %j is the one that a service expects', (clock) => {
    const expected = readSettings(clock).clockOffsetSeconds !== undefined;
    expect(readMigrationSettings({ ...job, ...clock })).toMatchObject({ movableClock: expected });
  });

  it('is fixed in production', () => {
    for (const clock of [{ CLOCK_OFFSET_SECONDS: '0' }, { CLOCK_CAN_MOVE: 'true' }])
      expect(() => readMigrationSettings({ ...job, ...clock, NODE_ENV: 'production' })).toThrow(/the clock is fixed/);
  });
});

describe('Production', () => {
  it('starts with keys, a database and a public address', () => {
    expect(problemsOf(production)).toEqual([]);
  });

  it('requires all of them, and rejects all development settings, in one message', () => {
    const weak = {
      NODE_ENV: 'production',
      RATE_LIMITS: 'off',
      CLOCK_CAN_MOVE: 'true',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
    };
    expect(wrongVariables(weak).toSorted()).toEqual([
      ...['ACCESS_DATABASE_URL', 'ACCESS_ENCRYPTION_KEY', 'ACCESS_HASH_KEY', 'BASE_URL', 'CLOCK_CAN_MOVE'],
      ...['CONSOLE_KEY', 'CONSOLE_URL', 'GRID_MODELS_DATABASE_URL', 'GRID_MODELS_KEY', 'IDENTITY_DATABASE_URL'],
      ...['IDENTITY_ENCRYPTION_KEY', 'IDENTITY_HASH_KEY', 'IDENTITY_INDEX_KEY', 'MPXN_PROFILE', 'PORTAL_KEY'],
      ...['PORTAL_URL', 'RATE_LIMITS', 'SMTP_URL'],
      ...[
        'TARIFFS_DATABASE_URL',
        'TARIFFS_ENCRYPTION_KEY',
        'TARIFFS_HASH_KEY',
        'TARIFFS_INDEX_KEY',
        'TOKEN_SIGNING_KEYS',
        'WEBHOOK_ALLOW_LOOPBACK',
      ],
    ]);
  });

  it.each(['identity', 'access', 'rest-adapter', 'portal'])('requires MPXN_PROFILE for %s', (SERVICES) => {
    const addresses = Object.fromEntries(
      ['ACCESS_URL', 'IDENTITY_URL', 'GATEWAY_LINK_URL', 'GRID_MODELS_URL', 'TARIFFS_URL'].map((name) => [
        name,
        'https://a:1',
      ]),
    );
    const whole = { ...production, ...addresses, MAIL_FROM: 'no-reply@register.example', SERVICES };
    expect(wrongVariables(whole)).toEqual([]);
    for (const missing of [{ MPXN_PROFILE: '' }, { MPXN_PROFILE: undefined }])
      expect(wrongVariables({ ...whole, ...missing } as Environment)).toEqual(['MPXN_PROFILE']);
  });

  it.each([
    ['identity', ['ACCESS_URL', 'BASE_URL', 'IDENTITY_DATABASE_URL', 'PORTAL_URL', 'SMTP_URL']],
    ['portal', ['BASE_URL', 'GATEWAY_LINK_URL', 'PORTAL_URL']],
    ['console', ['BASE_URL', 'CONSOLE_URL', 'GATEWAY_LINK_URL']],
    ['access', ['ACCESS_DATABASE_URL', 'BASE_URL', 'IDENTITY_URL', 'MAIL_FROM', 'SMTP_URL']],
    ['grid-models', ['ACCESS_URL', 'BASE_URL', 'GRID_MODELS_DATABASE_URL']],
    ['tariffs', ['ACCESS_URL', 'BASE_URL', 'TARIFFS_DATABASE_URL']],
    ['gateway', ['ACCESS_URL', 'BASE_URL', 'GRID_MODELS_URL', 'IDENTITY_URL', 'TARIFFS_URL']],
    ['rest-adapter', ['ACCESS_URL', 'BASE_URL', 'GATEWAY_LINK_URL', 'GRID_MODELS_URL']],
    ['gateway,rest-adapter', ['ACCESS_URL', 'BASE_URL', 'GRID_MODELS_URL', 'IDENTITY_URL', 'TARIFFS_URL']],
    ['identity,access', ['ACCESS_DATABASE_URL', 'BASE_URL', 'IDENTITY_DATABASE_URL', 'PORTAL_URL', 'SMTP_URL']],
  ])('requires the URLs that %s needs', (services, missing) => {
    const keys = Object.fromEntries(Object.entries(production).filter(([name]) => !name.endsWith('_URL')));
    expect(wrongVariables({ ...keys, SERVICES: services }).toSorted()).toEqual(missing);
    const empty = Object.fromEntries(missing.map((name) => [name, '']));
    expect(wrongVariables({ ...keys, ...empty, SERVICES: services }).toSorted()).toEqual(missing);
  });

  it.each([
    ['gateway', ['GATEWAY_SERVICE_KEY', 'SERVICE_PUBLIC_KEYS']],
    ['gateway,rest-adapter', ['GATEWAY_SERVICE_KEY', 'REST_SERVICE_KEY', 'SERVICE_PUBLIC_KEYS']],
    ['identity,access,grid-models,tariffs,gateway,rest-adapter,portal,console', []],
  ])('requires the service keys with which %s authenticate to other processes', (services, missing) => {
    const addresses = ['ACCESS_URL', 'IDENTITY_URL', 'GRID_MODELS_URL', 'TARIFFS_URL'].map((name) => [
      name,
      'https://a',
    ]);
    const keyless = Object.entries(production).filter(([name]) => !name.includes('SERVICE_'));
    const environment = Object.fromEntries([...keyless, ...addresses]) as Environment;
    expect(wrongVariables({ ...environment, SERVICES: services }).toSorted()).toEqual(missing);
  });

  it('leaves the login of the owner to the migration job and other commands', () => {
    const partial = { ...production, IDENTITY_URL: 'https://i', MAIL_FROM: 'a@b', SERVICES: 'access' };
    for (const environment of [partial, production]) {
      expect(wrongVariables(environment)).toEqual([]);
      expect(wrongVariables({ ...environment, ...OWNER_LOGIN })).toEqual(['DATABASE_URL']);
      expect(wrongVariables({ ...environment, ACCESS_DATABASE_URL: '' })).toEqual(['ACCESS_DATABASE_URL']);
    }
    const { ACCESS_DATABASE_URL: _, ...oneMissing } = production;
    expect(() => readSettings(oneMissing, true)).toThrow(/ - DATABASE_URL: missing/);
    expect(() => readSettings({ ...oneMissing, ...OWNER_LOGIN }, true)).not.toThrow();
  });

  it('rejects the key of a service that other services would not recognise', async () => {
    const { ACCESS_SERVICE_KEY, GATEWAY_SERVICE_KEY } = newKeyVariables();
    for (const key of [ACCESS_SERVICE_KEY, GATEWAY_SERVICE_KEY])
      expect(wrongVariables({ ...production, ACCESS_SERVICE_KEY: key })).toEqual(['ACCESS_SERVICE_KEY']);
    expect(wrongVariables({ ...production, ACCESS_SERVICE_KEY: production['GATEWAY_SERVICE_KEY'] })).toEqual([
      'ACCESS_SERVICE_KEY',
    ]);
  });

  it.each(['http://register.example/v1', 'https://localhost:4001/v1', 'https://127.0.0.1/v1', 'https://[::1]/v1'])(
    'rejects the public URL %s',
    (address) => {
      expect(wrongVariables({ ...production, BASE_URL: address })).toEqual(['BASE_URL']);
      const [portal] = wrongVariables({ ...production, PORTAL_URL: address });
      expect(portal).toBe('PORTAL_URL');
    },
  );
});
