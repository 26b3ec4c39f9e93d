import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import type { DemoData } from '../../../sandbox/sandbox-file';
import { graphOf } from '../../support/graph';
import { attributeChange, differenceModelXml, gridArchive, lineSegment } from '../../support/grid-archives';
import { baseArchive, fullModelXml } from '../../support/grid-base-archives';
import { type Place, type RegisterProcess, freePort, placeOf, startRegisterProcess } from '../../support/register';
import { tokenOf } from '../../support/rest-client';
import { until } from '../../support/until';

jest.setTimeout(300_000);

const CYCLE = { area: 'SWALES', publicationYear: 2031, period: '02' };
const mRID = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const baseOf = (lines: number) =>
  baseArchive({
    EQ: fullModelXml(
      'EQ',
      Array.from({ length: lines }, (_, index) => lineSegment(mRID(index), `Line ${index}`)).join(''),
    ),
  });

let place: Place;
let owner: Pool;
let environment: Record<string, string>;
let register: RegisterProcess;
let urls: { readonly rest: string; readonly gateway: string };
beforeAll(async () => {
  place = await placeOf();
  owner = new Pool({ connectionString: place.databaseUrl, options: '-c search_path=grid_models,register', max: 3 });
  const [restPort, gatewayPort] = [await freePort(), await freePort()];
  urls = { rest: `http://localhost:${restPort}`, gateway: `http://localhost:${gatewayPort}` };
  environment = {
    ...(place.environment as Record<string, string>),
    ...{ REST_PORT: String(restPort), GATEWAY_PORT: String(gatewayPort), LOG_LEVEL: 'error' },
  };
  register = await startRegisterProcess(environment);
});
afterAll(async () => {
  await register?.stop();
  await owner?.end();
  await place?.remove();
});

async function asAdmin(query: string): Promise<string> {
  const sandbox = JSON.parse(readFileSync(join(place.dataDir, 'sandbox.json'), 'utf8')) as DemoData;
  const admin = graphOf(urls, await tokenOf({ ...urls, sandbox }, 'admin'));
  const { data } = await admin(query);
  return (Object.values(data as object)[0] as { address: string }).address;
}

const INPUT = `area: "${CYCLE.area}", publicationYear: ${CYCLE.publicationYear}, period: "${CYCLE.period}"`;
const baseAddress = () => asAdmin(`mutation { prepareBaseModelPublication(input: { ${INPUT} }) { address } }`);
const projectAddress = () =>
  asAdmin(`mutation { prepareGridPublication(input: { ${INPUT}, projectId: "After-kill" }) { address } }`);
const send = async (method: string, address: string, archive: Buffer) => {
  const response = await fetch(`${urls.rest}${address}`, { method, body: new Uint8Array(archive) });
  return [response.status, await response.json()] as const;
};

/** The base model that the register returns, and what a check reads from its stored archive. */
async function former() {
  const { data } = await graphOf(urls)(`{ baseModel(${INPUT}) { version files { file items } } }`);
  const project = await gridArchive({
    EQ: differenceModelXml('EQ', { reverse: attributeChange(mRID(0), 'cim:IdentifiedObject.name', 'Line 0') }),
  });
  const [, checked] = await send('POST', `${await projectAddress()}/check`, project);
  return { ...(data.baseModel as object), checked: checked as unknown };
}

/** Rows of base models that are not published. */
async function remains(): Promise<number> {
  const { rows } = await owner.query<{ count: number }>(`
    with published as (select number from base_model where version is not null)
    select (select count(*) from base_model where version is null) + (
      select sum(count) from (
        select count(*) from base_file where base not in (table published) union all
        select count(*) from base_chunk where base not in (table published) union all
        select count(*) from base_item where base not in (table published) union all
        select count(*) from base_reference where base not in (table published)) as parts) as count`);
  return Number(rows[0]?.count);
}

describe('A base model whose publication is killed', () => {
  it('leaves the former one whole, and nothing of itself; a repeat succeeds', async () => {
    expect(await send('PUT', await baseAddress(), await baseOf(3))).toMatchObject([
      201,
      {
        ...{ licenceArea: CYCLE.area, projectId: null, version: 1 },
        warnings: [{ cimFile: 'SC.xml' }, { cimFile: 'GL.xml' }],
      },
    ]);
    const before = await former();
    expect(before).toMatchObject({ version: 1, checked: { findingCount: 0, findings: [] } });

    const [address, next] = [await baseAddress(), await baseOf(3_000)];
    const blocker = await owner.connect();
    await blocker.query('begin');
    await blocker.query('lock table base_chunk in share mode');
    const broken = send('PUT', address, next).then(
      () => 'responded',
      () => 'broken',
    );
    await until(async () => {
      const { rowCount } = await owner.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into base_chunk%'`,
      );
      return rowCount === 1 || undefined;
    });
    expect(await remains()).toBeGreaterThan(3_000);
    await register.kill();
    await blocker.query('rollback');
    blocker.release();
    expect(await broken).toBe('broken');

    register = await startRegisterProcess(environment);
    expect(await former()).toEqual(before);
    expect(await send('PUT', address, next)).toMatchObject([201, { version: 2 }]);
    expect(await send('PUT', address, next)).toMatchObject([200, { version: 2 }]);
    expect(await former()).toMatchObject({ version: 2, files: [{ items: 3_000 }, {}, {}] });
    await until(async () => ((await remains()) === 0 ? true : undefined));
  });
});
