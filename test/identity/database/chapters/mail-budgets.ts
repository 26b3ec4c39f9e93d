import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { EXISTS, REIDENTIFY, REIDENTIFY_OWN, RETURN_URL, valueOf } from '../../../support/ceremonies';
import { ContestFixture, MAIL_CONTACT_LINK } from '../../../support/contest-fixture';
import { settled } from '../../../support/legacy-consents';
import { isLinkMail, isSignInNotice, mailsNow } from '../../../support/sign-in-mails';
import { REQUEST_LINK, asCustomer, signedInByLink } from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, startSignInFixture } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';

const ANONYMISE = 'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { ir } }';

/** Mails of one kind that one originator may cause to one person within 15 minutes. */
const MOST = 3;

export function mailBudgets(): void {
  let fixture: SignInFixture;
  let people: ContestFixture;
  let honest: Caller;
  let other: Caller;
  beforeAll(async () => {
    fixture = await startSignInFixture({ limits: { mails: MOST } });
    people = new ContestFixture(fixture);
    [honest, other] = [await fixture.dataUser(RETURN_URL), await fixture.dataUser(RETURN_URL)];
  });
  afterAll(() => fixture?.close());

  /** Registers a customer of `honest` with an e-mail address. */
  async function newCustomer() {
    const [mpxn, email] = [newMpxn(), people.newEmail('resident')];
    return { mpxn, email, ref: await fixture.newRecord(honest, { email }, { mpxn }) };
  }
  type Customer = Awaited<ReturnType<typeof newCustomer>>;

  let networks = 0;
  /** A network of its own, so that tests leave the limits of sign-ins to each other. */
  const newNetwork = () => ({ clientAddress: `10.9.${(networks += 1)}.1` });
  /**
   * Requests sign-in links as portal visitors, each from another network. The response is the same whether or not a
   * mail is sent.
   */
  async function visitorsRequest({ mpxn }: Customer, times = MOST + 2): Promise<void> {
    for (let n = 0; n < times; n++) {
      valueOf(await fixture.execute(REQUEST_LINK, { entry: { mpxn }, language: 'EN' }, newNetwork()));
    }
  }
  /** Requests magic links of the customer until the limit rejects them; returns the error code of each request. */
  async function requestByMail(by: Caller, { mpxn, ref }: Customer, times = MOST + 1): Promise<string[]> {
    const codes: string[] = [];
    for (let n = 0; n < times; n++) {
      const result =
        by === honest
          ? await fixture.execute(REIDENTIFY_OWN, { ref, input: { method: 'MAGIC_LINK' } }, { caller: by })
          : await fixture.execute(REIDENTIFY, { input: { mpxn, method: 'MAGIC_LINK' } }, { caller: by });
      codes.push(result.codes.join());
    }
    return codes;
  }
  const PERMITTED = [...Array.from({ length: MOST }, () => ''), 'LIM002'];

  /** Registers a record with an unconnected address, so that both contacts are notified, and anonymises it again. */
  async function contests(by: Caller, { mpxn }: Customer, times: number): Promise<void> {
    for (let n = 0; n < times; n++) {
      const ref = await fixture.newRecord(by, { email: people.newEmail('planted') }, { mpxn });
      valueOf(await fixture.execute(ANONYMISE, { ref }, { caller: by }));
    }
  }

  /** Counts the mails of each kind that an address has received, once no mail is pending. */
  async function mailed({ email }: Customer) {
    const notices = (await people.notices(email)).length;
    const mails = await mailsNow(fixture, email);
    const links = mails.filter(isLinkMail).length;
    return { links, notices, others: mails.length - links - notices };
  }

  /** Requests links to another address of the home in a session of an address; returns the error code of each request. */
  async function linksBy(email: string, target: string): Promise<string[]> {
    const network = { clientAddress: `10.9.${(networks += 1)}.1` }; // each has limits of its own
    const { token } = await signedInByLink(fixture, { email }, email, network);
    const contact = (await people.contacts(token)).find(({ shown }) => shown.startsWith(target.slice(0, 1)))?.id;
    const codes: string[] = [];
    for (let n = 0; n <= MOST; n++)
      codes.push(
        (await fixture.execute(MAIL_CONTACT_LINK, { contact }, { ...asCustomer(token), ...network })).codes.join(),
      );
    return codes;
  }

  it('of anonymous requests is separate: Data Users still cause mails, and contests are still notified', async () => {
    const customer = await newCustomer();
    await visitorsRequest(customer);
    for (let n = 0; n < MOST + 2; n++)
      valueOf(await fixture.execute(EXISTS, { mpxn: customer.mpxn }, { caller: await fixture.dataUser() }));
    expect(await mailed(customer)).toEqual({ links: MOST, notices: 0, others: 0 });
    expect(await requestByMail(other, customer)).toEqual(PERMITTED);
    expect(await requestByMail(honest, customer)).toEqual(PERMITTED);
    await contests(other, customer, 1);
    expect(await mailed(customer)).toEqual({ links: MOST, notices: 1, others: 2 * MOST });
  });

  it('for proofs of contacts is one for all contacts that a Data User planted, except the oldest, and leaves the customer theirs', async () => {
    const { mpxn, email } = await newCustomer();
    const second = people.newEmail('second');
    await fixture.newRecord(other, { email: second }, { mpxn });
    const attacker = await fixture.dataUser(RETURN_URL);
    const oldest = people.newEmail('planted');
    const planted = [people.newEmail('planted'), people.newEmail('planted')] as const;
    for (const address of [oldest, ...planted, email]) await fixture.newRecord(attacker, { email: address }, { mpxn });
    expect(await linksBy(oldest, second)).toEqual(PERMITTED);
    expect(await linksBy(planted[0], second)).toEqual(PERMITTED);
    expect(new Set(await linksBy(planted[1], second))).toEqual(new Set(['LIM002']));
    expect(await linksBy(email, second)).toEqual(PERMITTED);
  });

  it('for proofs of contacts is not used up by a thief of the secret of the only Data User of the customer', async () => {
    const { mpxn, email } = await newCustomer();
    const second = people.newEmail('second');
    await fixture.newRecord(other, { email: second }, { mpxn });
    const planted = [people.newEmail('planted'), people.newEmail('planted')] as const;
    for (const address of planted) await fixture.newRecord(honest, { email: address }, { mpxn });
    expect(await linksBy(planted[0], second)).toEqual(PERMITTED);
    expect(new Set(await linksBy(planted[1], second))).toEqual(new Set(['LIM002']));
    expect(await linksBy(email, second)).toEqual(PERMITTED);
  });

  it('counts one mail for concurrent requests with one idempotency key', async () => {
    const customer = await newCustomer();
    const variables = { input: { mpxn: customer.mpxn, method: 'MAGIC_LINK' }, key: 'sent-again' };
    const results = await Promise.all(
      Array.from({ length: 2 * MOST }, () => fixture.execute(REIDENTIFY, variables, { caller: other })),
    );
    expect(results.flatMap(({ codes }) => codes)).toEqual([]);
    expect(await requestByMail(other, customer, MOST)).toEqual(PERMITTED.slice(1));
  });

  it('for contest notices is used up by one Data User without affecting another, visitors or re-identification', async () => {
    const customer = await newCustomer();
    await contests(other, customer, MOST + 2);
    expect(await mailed(customer)).toEqual({ links: 0, notices: MOST, others: 0 });
    await contests(await fixture.dataUser(RETURN_URL), customer, 1);
    await visitorsRequest(customer, 1);
    expect(await requestByMail(other, customer)).toEqual(PERMITTED);
    expect(await requestByMail(honest, customer)).toEqual(PERMITTED);
    expect(await mailed(customer)).toEqual({ links: 1, notices: MOST + 1, others: 2 * MOST });
  });

  it('for notices of sign-ins is one in 15 minutes: the next notice reports the sign-ins in between', async () => {
    const customer = await newCustomer();
    await fixture.newRecord(other, { email: people.newEmail('planted') }, { mpxn: customer.mpxn });
    const MORE = 'There may have been more sign-ins since our last mail';
    const notices = async () =>
      (await mailsNow(fixture, customer.email)).filter(isSignInNotice).map(({ text }) => text);
    const signIn = async () => {
      expect((await people.supplied(customer.mpxn)).codes).toEqual([]);
      await fixture.jobsDone();
    };
    for (let n = 0; n < 4; n++) await signIn();
    expect(await notices()).toEqual([expect.not.stringContaining(MORE)]);

    await fixture.owner.query(`delete from identity.rate_limit where key like 'sign-in-notices:%'`);
    await settled(fixture);
    expect(await notices()).toEqual([expect.stringContaining(MORE), expect.not.stringContaining(MORE)]);

    await signIn();
    expect(await notices()).toHaveLength(2); // the merged notice counts as well
  });

  it('for notices of sign-ins loses none that waits if the record for which it was written is anonymised', async () => {
    const customer = await newCustomer();
    const { mpxn, email } = customer;
    await fixture.newRecord(other, { email }, { mpxn });
    const planted = people.newEmail('planted');
    const ir = await fixture.newRecord(other, { email: planted }, { mpxn });
    for (let n = 0; n < 2; n++) {
      await signedInByLink(fixture, { ir }, planted, newNetwork());
      await fixture.jobsDone();
    }
    expect((await mailsNow(fixture, email)).filter(isSignInNotice)).toHaveLength(1);
    valueOf(await fixture.execute(ANONYMISE, { ref: customer.ref }, { caller: honest }));
    await fixture.owner.query(`delete from identity.rate_limit where key like 'sign-in-notices:%'`);
    await settled(fixture);
    expect((await mailsNow(fixture, email)).filter(isSignInNotice)).toHaveLength(2);
  });

  it('for notices of sign-ins hides no sign-in that opens more, whatever the order', async () => {
    const customer = await newCustomer();
    const planted = people.newEmail('planted');
    const ir = await fixture.newRecord(other, { email: planted }, { mpxn: customer.mpxn });
    const byLink = () => signedInByLink(fixture, { ir }, planted, newNetwork());
    await byLink();
    await fixture.jobsDone();
    await byLink();
    expect((await people.supplied(customer.mpxn)).codes).toEqual([]);
    await byLink();
    await fixture.jobsDone();
    const notices = await until(async () => {
      await fixture.owner.query(`delete from identity.rate_limit where key like 'sign-in-notices:%'`);
      await fixture.owner.query('update identity_jobs._private_jobs set run_at = now() where locked_at is null');
      const mails = (await mailsNow(fixture, customer.email)).filter(isSignInNotice);
      return mails.length >= 3 ? mails.map(({ text }) => text) : undefined;
    });
    const MORE = 'There may have been more sign-ins since our last mail';
    expect(notices.filter((text) => text.includes(MORE)).toSorted()).toEqual([
      expect.stringContaining('with a link that was sent by e-mail. They can see'),
      expect.stringContaining('with their login at an energy supplier. They can confirm or reject each email'),
    ]);
    expect(notices).toHaveLength(3);
  });

  it('of an e-mail address does not show a Data User whether a customer of another has it', async () => {
    const email = people.newEmail('suspected');
    for (let n = 0; n < 5; n++) {
      const mpxn = newMpxn();
      const own = { mpxn, email, ref: await fixture.newRecord(honest, { email }, { mpxn }) };
      expect(await requestByMail(honest, own)).toEqual(PERMITTED);
    }
    for (const address of [email, people.newEmail('not-suspected')]) {
      const mpxn = newMpxn();
      await fixture.newRecord(other, { email: address }, { mpxn });
      const initiated = await fixture.execute(
        REIDENTIFY,
        { input: { mpxn, method: 'MAGIC_LINK' } },
        { caller: honest },
      );
      expect(initiated.codes).toEqual([]);
    }
  });

  it('of an e-mail address is five times that of a record, for each Data User', async () => {
    const email = people.newEmail('landlord');
    const homes = [];
    for (let n = 0; n < 6; n++) {
      const mpxn = newMpxn();
      homes.push({ mpxn, email, ref: await fixture.newRecord(honest, { email }, { mpxn }) });
    }
    const [last, ...others] = homes as [Customer, ...Customer[]];
    for (const home of others) expect(await requestByMail(honest, home)).toEqual(PERMITTED);
    expect(await requestByMail(honest, last, 2)).toEqual(['LIM002', 'LIM002']);
    expect(await mailed(last)).toEqual({ links: 0, notices: 0, others: 5 * MOST });
    expect(await requestByMail(other, last, 1)).toEqual(['']);
    await visitorsRequest(last, 1);
    expect(await requestByMail(honest, await newCustomer(), 1)).toEqual(['']);
    expect(await mailed(last)).toEqual({ links: 1, notices: 0, others: 5 * MOST + 1 });
  });
}
