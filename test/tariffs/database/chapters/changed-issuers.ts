import { type TariffEventFixture, bodiesOf, tariffEventFixture } from '../../../support/tariff-event-fixture';
import { ADMIN, supplierInput, trf } from '../../../support/tariff-graph';

export function changedIssuers(): void {
  const SAVE = 'mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }';
  const CUSTOMER = '{ customerTariffs { tariffId } }';
  const GIVE = 'mutation { giveTariffConsent { registrationId } }';
  const REVOKE = 'mutation ($id: String!) { revokeTariffConsent(registrationId: $id) { registrationId } }';
  const LIST = `query ($userId: String) { tariffConsents(first: 10, filter: { userId: $userId }) {
    nodes { registrationId revokedBy } } }`;
  const SUPPLIER = 'query ($mpid: String!) { supplier(mpid: $mpid) { support issuer audience } }';
  const AUDIT = `select detail from audit_entry where action = 'save-supplier' and subject = $1 order by id desc limit 1`;
  const [FORMER, NEW] = ['https://former.example', 'https://new.example'];

  let fixture: TariffEventFixture;
  beforeAll(async () => {
    fixture = await tariffEventFixture();
  });
  afterAll(() => fixture?.close());

  let suppliers = 0;
  /** Creates a supplier of an issuer, and an RTI User with a consent and a webhook there, for a consumer on a tariff. */
  async function sharing() {
    const number = 100 + ++suppliers;
    const [mpid, mpxn, path] = [`C${number}`, String(1_700_000_000 + number), `/hook-${number}`];
    const save = (changed: Record<string, unknown>) =>
      fixture.execute(
        SAVE,
        { input: supplierInput(mpid, { issuer: FORMER, audience: `of-${mpid}`, ...changed }) },
        ADMIN,
      );
    await save({});
    await fixture.publish(number, {}, mpid);
    await fixture.publish(number + 100, {}, mpid);
    await fixture.assign(mpxn, number, -60, mpid);
    await fixture.settled();
    const participant = await fixture.participant({ mpid, issuer: FORMER, mpxns: [mpxn] });
    const { registrationId } = await fixture.consent(participant.caller);
    await fixture.webhook(participant.caller, path);
    const underNewIssuer = () => fixture.with(participant, { mpid, issuer: NEW, mpxns: [mpxn] });
    return { ...participant, mpid, mpxn, path, number, registrationId, save, underNewIssuer };
  }

  const received = (path: string) =>
    bodiesOf(fixture.receiver.received.filter((post) => post.path === path)).map(({ type }) => String(type));
  const endsOf = async (userId: string) =>
    (await fixture.execute(LIST, { userId }, ADMIN)).tariffConsents.nodes.map(
      ({ registrationId, revokedBy }: Record<string, string>) => [registrationId, revokedBy],
    );

  describe('Another issuer of a supplier', () => {
    it('revokes the consents of the former one, so that a withdrawal under the new one ends all events', async () => {
      const { caller, userId, mpid, mpxn, path, number, registrationId, save, underNewIssuer } = await sharing();
      await save({ issuer: NEW });
      const again = await fixture.consent(underNewIssuer());
      expect(again.isNew).toBe(true);
      await fixture.posts(1, path);
      await fixture.settled();
      expect(received(path)).toEqual(['consent.revoked']);
      expect(await endsOf(userId)).toEqual([
        [again.registrationId, null],
        [registrationId, 'ISSUER_CHANGED'],
      ]);
      expect((await fixture.execute(CUSTOMER, {}, underNewIssuer())).customerTariffs).toEqual([
        { tariffId: trf(number) },
      ]);
      expect(await fixture.errorOf(CUSTOMER, {}, caller)).toBe('RTI002');
      await fixture.execute(REVOKE, { id: again.registrationId }, underNewIssuer());
      await fixture.assign(mpxn, number + 100, 0, mpid);
      await fixture.settled();
      expect(received(path)).toEqual(['consent.revoked', 'consent.revoked']);
      const { detail } = (await fixture.owner.query(AUDIT, [mpid])).rows[0];
      expect(detail).toEqual({ from: { issuer: FORMER }, to: { issuer: NEW } });
    });

    it('is none if only other fields change: the consents continue', async () => {
      const { userId, mpid, path, registrationId, save } = await sharing();
      await save({ audience: `another-of-${mpid}`, displayName: 'Other' });
      await fixture.settled();
      expect(await endsOf(userId)).toEqual([[registrationId, null]]);
      expect(received(path)).toEqual([]);
    });

    it('is none if a correction of other fields omits issuer and audience: both remain, and the consents continue', async () => {
      const { userId, mpid, registrationId, save } = await sharing();
      await fixture.execute(SAVE, { input: supplierInput(mpid, { support: 'new@supplier.example' }) }, ADMIN);
      await fixture.settled();
      expect(await endsOf(userId)).toEqual([[registrationId, null]]);
      const { supplier } = await fixture.execute(SUPPLIER, { mpid }, ADMIN);
      expect(supplier).toEqual({ support: 'new@supplier.example', issuer: FORMER, audience: `of-${mpid}` });
      await save({ issuer: NEW, audience: undefined });
      await fixture.settled();
      expect(await endsOf(userId)).toEqual([[registrationId, 'ISSUER_CHANGED']]);
      expect((await fixture.execute(SUPPLIER, { mpid }, ADMIN)).supplier).toMatchObject({
        issuer: NEW,
        audience: `of-${mpid}`,
      });
    });

    it('is null if an admin removes it together with the audience only: the consents end, and no token gives another', async () => {
      const { caller, userId, registrationId, save, mpid } = await sharing();
      const removed = (input: object) => fixture.errorOf(SAVE, { input: { ...supplierInput(mpid), ...input } }, ADMIN);
      expect(await removed({ issuer: null })).toBe('VAL002 issuer');
      expect(await removed({ audience: null })).toBe('VAL002 audience');
      await save({ issuer: null, audience: null });
      expect(await fixture.errorOf(GIVE, {}, caller)).toBe('AUT001');
      await fixture.settled();
      expect(await endsOf(userId)).toEqual([[registrationId, 'ISSUER_CHANGED']]);
    });

    it('revokes the consents of the former one also if the clock was set back since they were given', async () => {
      const { userId, registrationId, save } = await sharing();
      await fixture.moveClock(-5);
      await save({ issuer: NEW });
      await fixture.settled();
      expect(await endsOf(userId)).toEqual([[registrationId, 'ISSUER_CHANGED']]);
      await fixture.moveClock(0);
    });

    it('admits no consent with a token of the former one that was admitted before the change', async () => {
      const { caller, userId, registrationId, save } = await sharing();
      await save({ issuer: NEW });
      expect(await fixture.errorOf(GIVE, {}, caller)).toBe('AUT001');
      await fixture.settled();
      expect(await endsOf(userId)).toEqual([[registrationId, 'ISSUER_CHANGED']]);
    });
  });
}
