import { mpxnCipher } from '../../../subgraphs/tariffs/occupancies/mpxn-cipher.repository';
import {
  type TariffEventFixture,
  beforeChangesAreApplied,
  tariffEventFixture,
} from '../../support/tariff-event-fixture';
import { ASSIGN, supplierOf, trf } from '../../support/tariff-graph';

const END = 'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { from } }';
const ENDS = 1500;

let fixture: TariffEventFixture;
let next = 0;
beforeAll(async () => {
  fixture = await tariffEventFixture();
  await fixture.suppliers('FELL');
  await fixture.publish(20, {}, 'FELL');
});
afterAll(() => fixture?.close());

/** Returns an MPxN with many assignments of LAPW, each of which ends, from an instant on. */
async function withManyEnds(start: string, interval: string): Promise<string> {
  const mpxn = String(1_999_990_000 + ++next);
  await fixture.assign(mpxn, 1);
  await fixture.owner.query(
    `insert into tariff_step (mpxn_hash, valid_from, tariff_id, mpid, account_id)
     select $1, date_trunc('milliseconds', register_now()) + $4::interval + (n * 2 + half) * $5::interval,
       case when half = 0 then $2 end, 'LAPW', 'acc' from generate_series(1, $3::integer) n, generate_series(0, 1) half`,
    [mpxnCipher(fixture.keys).hash(mpxn), trf(2), ENDS, start, interval],
  );
  return mpxn;
}

const inSeconds = async (seconds: number) => new Date((await fixture.now()).getTime() + seconds * 1000).toISOString();

describe('An MPxN to which a supplier has assigned tariffs very often', () => {
  it.each([
    ['planned', '100 days', '1 minute'],
    ['past', '-10 days', '1 minute'],
  ])(
    '(%s) is assigned by another supplier, its assignment ends, and its consumer consents',
    async (_, start, interval) => {
      const mpxn = await withManyEnds(start, interval);
      const assigned = { mpxn, tariffId: trf(20), from: await inSeconds(3600) };
      expect((await fixture.execute(ASSIGN, assigned, supplierOf('FELL'))).errors).toBeUndefined();
      const ended = { mpxn, at: await inSeconds(7200) };
      expect((await fixture.execute(END, ended, supplierOf('FELL'))).errors).toBeUndefined();
      const { caller } = await fixture.participant({ mpxns: [mpxn] });
      expect(await fixture.consent(caller)).toMatchObject({ isNew: true });
    },
  );

  it('takes part in due changes without a fault', async () => {
    let mpxn = '';
    await beforeChangesAreApplied(fixture, async () => {
      mpxn = await withManyEnds('-10 seconds', '1 millisecond');
    });
    const changes = async () => {
      const { rows } = await fixture.owner.query<{ waiting: number; faults: number }>(
        `select count(*) filter (where done_at is null)::integer as waiting, max(faults)::integer as faults
         from tariff_effect where mpxn_hash = $1`,
        [mpxnCipher(fixture.keys).hash(mpxn)],
      );
      return rows[0];
    };
    await fixture.settled();
    expect(await changes()).toEqual({ waiting: 0, faults: 0 });
  });
});
