import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import {
  AccessRecordRepository,
  type IdentityLink,
} from '../../../../subgraphs/access/records/access-record.repository';
import { ControllerReferences } from '../../../../subgraphs/access/records/controller-references.queries';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { type Idempotency, idempotency } from '../../../../subgraphs/server/idempotency';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { type RegisterClock, registerClock } from '../../../../subgraphs/server/database/register-clock';
import { type AccessDatabase, DUID, accessDatabase } from '../../../support/access-database';
import { recordOnConsent } from '../../../support/access-records';
import { ACCOUNT } from '../../../support/access-rows';

export function tokenRedemption(): void {
  const ACTOR = { accountId: ACCOUNT, duid: DUID };
  const HOUR = 3_600;

  describe('A registration that redeems a re-identification token', () => {
    let tables: AccessDatabase;
    let database: Database;
    let clock: RegisterClock;
    let records: AccessRecordRepository;
    let requests: Idempotency;
    beforeAll(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
      clock = registerClock(database);
      requests = idempotency(database, randomBytes(32), randomBytes(32));
      const encryptionKey = randomBytes(32);
      const references = new ControllerReferences(encryptionKey, pino({ level: 'silent' }));
      records = new AccessRecordRepository(
        database,
        keyedHash(randomBytes(32), 'access-key'),
        encryptionKey,
        references,
      );
    });
    afterEach(() => clock.setOffset(0));
    afterAll(async () => {
      await database.close();
      await tables.close();
    });

    const link = async (seconds = HOUR): Promise<IdentityLink> => ({
      id: randomUUID(),
      meterPointId: 'meter point',
      ref: null,
      token: { hash: randomBytes(32), expiresAt: new Date((await clock.now()).getTime() + seconds * 1000) },
    });
    const request = (key: string | null = null) => requests.request(ACCOUNT, 'registerAccessRecord', key, 'body');
    const register = (proof: IdentityLink, key: string | null = null) =>
      records.register(ACTOR, recordOnConsent(), proof, request(key));

    /** Returns the numbers of linked records, redeemed tokens and stored responses, which change together. */
    async function kept({ id, token }: IdentityLink) {
      const { rows } = await tables.owner.query<Record<string, number>>(
        `select (select count(*)::int from access_record where identity_record_id = $1) as records,
         (select count(*)::int from consumed_token where token_hash = $2) as tokens,
         (select count(*)::int from idempotency_key) as answers`,
        [id, token?.hash],
      );
      return rows[0];
    }
    const results = async () => (await kept(await link()))?.['answers'] as number;

    it('redeems it with the record, whose owner cannot read the Identity Record', async () => {
      const proof = await link();
      const token = await register(proof);
      expect(await kept(proof)).toMatchObject({ records: 1, tokens: 1 });
      const record = await records.byKey(token?.key as string);
      expect(record?.row).toMatchObject({ identity_record_id: proof.id, identity_record_ref: null });
      expect(record?.recordMetadata.identityRecordRef).toBeNull();
    });

    it('is rejected the second time, and leaves neither record nor stored response', async () => {
      const proof = await link();
      await register(proof);
      const before = await results();
      await expect(register(proof, 'second')).rejects.toMatchObject({
        code: 'VAL009',
        extensions: { violations: [expect.objectContaining({ code: 'VAL009', path: ['reidentificationToken'] })] },
      });
      expect(await kept(proof)).toEqual({ records: 1, tokens: 1, answers: before });
      expect(await request('second').findStoredResponse()).toBeUndefined();
    });

    it('is rejected after its hour by the register’s clock, and redeems nothing', async () => {
      const [proof, late] = [await link(), await link()];
      await clock.setOffset(HOUR - 5);
      await register(proof);
      await clock.setOffset(HOUR + 1);
      await expect(register(late, 'late')).rejects.toMatchObject({ code: 'VAL009' });
      expect(await kept(late)).toMatchObject({ records: 0, tokens: 0 });
      await clock.setOffset(0);
      expect(await register(late)).toBeDefined();
    });

    it('is made once by any number of callers at once', async () => {
      const proof = await link();
      const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => register(proof)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await kept(proof)).toMatchObject({ records: 1, tokens: 1 });
    });

    it('returns the stored response to a repeat with the same idempotency key, and redeems nothing', async () => {
      const [proof, another] = [await link(), await link()];
      const first = await register(proof, 'repeated');
      expect(await register(another, 'repeated')).toBeUndefined();
      expect(await request('repeated').storedResponse()).toEqual(first);
      expect(await kept(another)).toMatchObject({ records: 0, tokens: 0 });
    });

    it('leaves the token valid if the record is rejected', async () => {
      const proof = await link();
      const broken = records.register({ ...ACTOR, duid: 'nobody' }, recordOnConsent(), proof, request());
      await expect(broken).rejects.toMatchObject({ code: 'AUT001' });
      expect(await kept(proof)).toMatchObject({ records: 0, tokens: 0 });
      expect(await register(proof)).toBeDefined();
    });

    it('needs no token when it is linked by the key of an Identity Record', async () => {
      const { token: _, ...own } = await link();
      const before = await tables.owner.query('select count(*) from consumed_token');
      expect(await register({ ...own, ref: `ir_${'5'.repeat(24)}` })).toBeDefined();
      expect((await tables.owner.query('select count(*) from consumed_token')).rows).toEqual(before.rows);
    });
  });
}
