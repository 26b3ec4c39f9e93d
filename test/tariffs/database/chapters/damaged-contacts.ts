import { type TariffGraph, ADMIN, consumerOf, supplierOf, tariffGraph } from '../../../support/tariff-graph';

export function damagedContacts(): void {
  let graph: TariffGraph;
  beforeAll(async () => {
    graph = await tariffGraph();
    await graph.suppliers('LAPW');
  });
  afterAll(() => graph?.close());

  const SAVE = `mutation ($input: RtiUserInput!) { saveRtiUser(input: $input) { isNew rtiUser { userId contact { name email } } } }`;
  const LIST = '{ rtiUserPage(active: true) { data { userId contact { name email } } } }';
  const AUDIT = `select detail -> 'from' ->> 'contact' as "from", detail -> 'to' ->> 'contact' as "to" from audit_entry
    where action = 'save-rti-user' and subject = $1 order by id desc limit 1`;
  const ENTRY = { displayName: 'Tern', support: 'https://tern.example/help' };
  const [SOUND, LOST, NEW] = ['sound', 'lost', 'new'].map((name) => ({ name, email: `${name}@tern.example` }));

  const save = async (input: object) =>
    (await graph.execute(SAVE, { input: { ...ENTRY, ...input } }, ADMIN)).saveRtiUser;
  const created = async (name: string, contact: object | undefined): Promise<string> =>
    (await save({ name, contact })).rtiUser.userId;

  /** Creates an RTI User whose stored contact is damaged. */
  const damaged = async () => {
    const userId = await created('Lost Limited', LOST);
    const damage =
      'update rti_user set contact_sealed = set_byte(contact_sealed, 20, get_byte(contact_sealed, 20) # 1)';
    await graph.owner.query(`${damage} where user_id = $1`, [userId]);
    return userId;
  };
  const audited = async (userId: string) => (await graph.owner.query(AUDIT, [userId])).rows[0];

  describe('An RTI User whose contact is damaged', () => {
    it('is listed without it, with all others, for every reader of contacts', async () => {
      const [sound, lost] = [await created('Sound Limited', SOUND), await damaged()];
      for (const caller of [supplierOf('LAPW'), ADMIN])
        expect((await graph.execute(LIST, {}, caller)).rtiUserPage.data).toEqual(
          expect.arrayContaining([
            { userId: sound, contact: SOUND },
            { userId: lost, contact: null },
          ]),
        );
      const own = `{ rtiUser(userId: "${lost}") { name contact { email } } }`;
      const { rtiUser } = await graph.execute(own, {}, consumerOf(lost));
      expect(rtiUser).toEqual({ name: 'Lost Limited', contact: null });
    });

    it.each([
      ['another one', NEW],
      ['the same one', LOST],
    ])('receives %s from an admin, and the audit states that the former one was unreadable', async (_, contact) => {
      const userId = await damaged();
      const saved = await save({ userId, name: 'Lost Limited', contact });
      expect(saved).toEqual({ isNew: false, rtiUser: { userId, contact } });
      expect(await audited(userId)).toEqual({ from: 'unreadable', to: expect.stringMatching(/^[0-9a-f]{16}$/) });
    });

    it('has none after an admin saves it without one', async () => {
      const userId = await damaged();
      expect((await save({ userId, name: 'Lost Limited' })).rtiUser).toEqual({ userId, contact: null });
      expect(await audited(userId)).toEqual({ from: 'unreadable', to: null });
      expect(await save({ userId, name: 'Lost Limited', contact: NEW })).toMatchObject({ rtiUser: { contact: NEW } });
    });
  });
}
