import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Bench, bareSide, comparisons, productSide } from '../bench-context';
import type { BenchRegister, BenchFixture } from '../bench-fixture';
import { ONE_STATEMENT } from '../bare/register';
import { REGISTRATION, documentOf } from '../bare/registration-body';
import { type Load, isInstalled } from '../load';
import type { Side } from '../rounds';
import { type Measurement, rounded } from '../verdict';

/** Durable registrations with an idempotency key each, against the same rows inserted by a bare server. */
export const register: Bench = async (context) => {
  const { fixture } = context;
  const opened = await context.register();
  const load = registrationLoad(opened);
  const bare = bareSide(fixture, opened, load);
  const oneStatement: Side = {
    ...bare,
    name: 'bare-one-statement',
    load: { ...load, path: `/one-statement${load.path}` },
  };
  const measurements = await comparisons(
    'register',
    [productSide(fixture, opened, load), bare, oneStatement],
    context.seconds,
  );
  const limit = isInstalled('pgbench') ? await databaseAlone(fixture, opened, measurements, context.seconds) : [];
  return [...measurements, ...limit];
};

/** POST /v1/access-records, each with a new idempotency key. */
export function registrationLoad({ rows, token }: BenchRegister): Load {
  return {
    method: 'POST',
    path: '/v1/access-records',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': '{new}' },
    body: JSON.stringify(REGISTRATION),
    keys: rows.identityRecords,
  };
}

/** Runs the same statement by pgbench, with values from the database: no server involved. */
async function databaseAlone(
  fixture: BenchFixture,
  opened: BenchRegister,
  measured: readonly Measurement[],
  seconds: number,
): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'register-pgbench-'));
  try {
    const script = join(folder, 'register.sql');
    writeFileSync(script, `${statementOf(opened)};\n`);
    const options = [
      '--no-vacuum',
      '--protocol',
      'prepared',
      '--client',
      '32',
      '--time',
      String(seconds * 2),
      '--file',
      script,
    ];
    const before = fixture.postgres();
    const { stdout } = await promisify(execFile)('pgbench', [...options, opened.databaseUrl], {
      env: { PATH: process.env['PATH'], PGOPTIONS: '-c search_path=access,register' },
    });
    const after = fixture.postgres();
    const perSecond = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
    const requests = Number(/^number of transactions actually processed: (\d+)/m.exec(stdout)?.[1]);
    const product = Number(measured.at(-1)?.beside['requests-per-second']?.toString().split(':')[0]);
    const cpu = before === undefined || after === undefined ? '-' : Math.round(((after - before) * 1e6) / requests);
    const beside = {
      connections: 32,
      'requests-per-second': `${product}:${Math.round(perSecond)}`,
      'cpu-us': `-:0+${cpu}`,
    };
    return [{ name: 'register', ratio: rounded(product / perSecond), baseline: 'pgbench-requests-per-second', beside }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Returns {@link ONE_STATEMENT} with literals and random values for its parameters; pgbench parses a colon before a
 * letter as a variable.
 */
function statementOf({ owner, rows }: BenchRegister): string {
  const random = (bytes: number) =>
    `substring(sha256(gen_random_uuid()::text::bytea) || sha256('') from 1 for ${bytes})`;
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const values = [
    ...[text(owner.account_id), text('registerAccessRecord'), random(32), random(32), random(64)],
    ...[
      'gen_random_uuid()',
      random(32),
      random(56),
      text(owner.duid as string),
      'gen_random_uuid()',
      text(rows.identityRecords[0] as string),
    ],
    ...[
      text('bench'),
      text('uk-consent'),
      'register_now()',
      'null',
      text(JSON.stringify(documentOf(REGISTRATION), null, 1)),
    ],
  ];
  return ONE_STATEMENT.text
    .replace(/\$(\d+)/g, (_, number: string) => values[Number(number) - 1] as string)
    .replaceAll('\n', ' ');
}
