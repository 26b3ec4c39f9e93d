import type { Caller } from '../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from './authenticator';
import { lastPart, registered, valueOf } from './ceremonies';
import { documentText } from './documents';
import { mailsNow } from './sign-in-mails';
import {
  FINISH_SUPPLIER,
  SIGN_IN_WITH_LINK,
  SIGN_IN_WITH_PASSKEY,
  START_PASSKEY,
  START_SUPPLIER,
  asCustomer,
  requestLink,
  scopeOf,
  signedInByLink,
} from './sign-in-operations';
import type { SignInFixture } from './sign-in-fixture';
import { signInAtSupplier } from './supplier-browser';
import { until } from './until';

export const CONTACTS = '{ customerContacts { id kind shown standing since dataUsers { duid } } }';
export const MAIL_CONTACT_LINK = 'mutation ($contact: ID!) { mailContactLink(contact: $contact, language: EN) }';
export const CONTACT_LINK = 'query ($secret: String!) { contactLink(secret: $secret) { expiresAt } }';
export const PROVE_BY_LINK = 'mutation ($secret: String!) { proveContactByLink(secret: $secret) }';
export const PROVE_BY_PASSKEY =
  'mutation ($secret: String!, $response: JSONObject!) { proveContactByPasskey(secret: $secret, response: $response) }';
export const JUDGE =
  'mutation ($contact: ID!, $verdict: ContactVerdict!) { judgeContact(contact: $contact, verdict: $verdict) }';
export const WITHDRAW = 'mutation ($id: ID!) { withdrawConsent(id: $id) { revokedAt } }';

/** Locks the meter point of the record $1. */
export const METER_POINT = `select pg_advisory_xact_lock(hashtextextended('people at ' || encode(mpxn_index, 'hex'), 0))
  from identity.identity_record where ref = $1`;

const RECORD = `mutation ($input: AccessRecordInput!) { registerAccessRecord(input: $input) { accessToken { key } } }`;
const SEEN = `query ($part: CustomerRecordPart!) { customerAccessRecords(part: $part) {
  nodes { id purpose accessEvent { controllerReference } } } }`;

/** Customers, Data Users and suppliers at successive meter points, in a fixture. */
export class ContestFixture {
  private people = 0;
  private mpid: Promise<{ mpid: string }> | undefined;

  constructor(readonly fixture: SignInFixture) {}

  newEmail(who: string): string {
    return `${who}-${(this.people += 1)}@contest.example`;
  }

  /** Creates an Identity Record with an address, verified by default, and a linked consent with a given purpose. */
  async customer(by: Caller, mpxn: string, email: string | null, purpose: string, principal: object = {}) {
    const ir = await this.fixture.newRecord(by, { email }, { mpxn, ...principal });
    await this.consent(by, ir, purpose);
    return ir;
  }

  /** Registers a consent that is linked to an Identity Record by its key or by the token of a re-identification. */
  async consent(by: Caller, link: string | { readonly reidentificationToken: string }, purpose: string): Promise<void> {
    const controller = {
      name: 'Larkhill',
      role: 'SOLE',
      contactUrl: 'https://larkhill.example/',
      privacyRightsUrl: 'https://larkhill.example/',
    };
    const input = {
      ...(typeof link === 'string' ? {} : link),
      recordMetadata: {
        schemaVersion: '1.0',
        ...(typeof link === 'string' ? { identityRecordRef: link } : {}),
        controllerArrangement: { arrangementType: 'SOLE', controllers: [controller] },
      },
      notice: { sharedNotice: { termsUrl: 'https://larkhill.example/terms', noticeVersion: '1' } },
      processing: { legalBasis: 'UK_CONSENT', purpose, dataTypes: ['HH_CONSUMPTION'] },
      accessEvent: {
        state: 'ACTIVE',
        registeredAt: '2026-01-15T10:30:00Z',
        controllerReference: `reference to ${purpose}`,
        consent: { consentType: 'EXPRESSED_CONSENT', method: 'web' },
      },
    };
    valueOf(await this.fixture.executeInAccess(RECORD, { input }, { caller: by }));
  }

  /** Signs in by a mailed link; returns the session's token. */
  async signedIn(email: string): Promise<string> {
    return (await signedInByLink(this.fixture, { email }, email)).token;
  }

  /** Signs in by every link that is mailed to an address; returns the tokens, that of the current home first. */
  async signedInAll(email: string): Promise<string[]> {
    const links = async () =>
      (await mailsNow(this.fixture, email)).flatMap(({ text }) => /\/sign-in\/link\/([\w-]{43})/.exec(text)?.[1] ?? []);
    const before = new Set(await links());
    valueOf(await requestLink(this.fixture, { email }));
    await this.fixture.jobsDone();
    const tokens: { token: string; isCurrent: boolean }[] = [];
    for (const secret of (await links()).filter((link) => !before.has(link))) {
      const { token } = valueOf(await this.fixture.execute(SIGN_IN_WITH_LINK, { secret }));
      tokens.push({ token, isCurrent: (await scopeOf(this.fixture, token)).isCurrent });
    }
    return tokens.toSorted((one, other) => Number(other.isCurrent) - Number(one.isCurrent)).map(({ token }) => token);
  }

  /** Returns the purposes of the records that a session shows. */
  async seen(token: string, part = 'CURRENT'): Promise<string[]> {
    const page = valueOf(await this.fixture.executeInAccess(SEEN, { part }, asCustomer(token)));
    return (page.nodes as { purpose: string }[]).map(({ purpose }) => purpose).toSorted();
  }

  /** Returns the references of Data Users to their customer that a session shows. */
  async references(token: string): Promise<string[]> {
    const page = valueOf(await this.fixture.executeInAccess(SEEN, { part: 'CURRENT' }, asCustomer(token)));
    const nodes = page.nodes as { accessEvent: { controllerReference: string | null } }[];
    return nodes.flatMap(({ accessEvent }) => accessEvent.controllerReference ?? []);
  }

  /** Returns the id of an access record that a session shows. */
  async idOf(token: string, purpose: string): Promise<string> {
    const page = valueOf(await this.fixture.executeInAccess(SEEN, { part: 'CURRENT' }, asCustomer(token)));
    return (page.nodes as { id: string; purpose: string }[]).find((each) => each.purpose === purpose)?.id as string;
  }

  withdraw(token: string, id: string) {
    return this.fixture.executeInAccess(WITHDRAW, { id }, asCustomer(token));
  }

  /** Runs a statement that locks something, in a transaction of the owner, until it is released. */
  async holding(lock: string, values: readonly unknown[]) {
    const { owner } = this.fixture;
    await owner.query('begin');
    await owner.query(lock, [...values]);
    const waiting = `select pg_stat_clear_snapshot(), (select count(*)::int from pg_stat_activity
      where pg_backend_pid() = any(pg_blocking_pids(pid))) as sessions`;
    return {
      isWaitedFor: (by = 1) =>
        until(async () => ((await owner.query(waiting)).rows[0].sessions >= by ? true : undefined)),
      release: async () => void (await owner.query('rollback')),
    };
  }

  async contacts(token: string): Promise<
    {
      id: string;
      kind: string;
      shown: string;
      standing: string;
      since: Date | null;
      dataUsers: { duid: string }[];
    }[]
  > {
    return valueOf(await this.fixture.execute(CONTACTS, {}, asCustomer(token)));
  }

  /** Returns the contact with this standing. */
  async contactOf(token: string, standing: string): Promise<string> {
    const found = (await this.contacts(token)).find((each) => each.standing === standing);
    if (found === undefined) throw new Error(`no contact is ${standing}`);
    return found.id;
  }

  /** Requests a mailed link to the other contact of a session; returns its secret. */
  async mailedProof(token: string, email: string): Promise<string> {
    const contact = await this.contactOf(token, 'OTHER');
    const before = (await this.proofs(email)).length;
    valueOf(await this.fixture.execute(MAIL_CONTACT_LINK, { contact }, asCustomer(token)));
    const [newest] = await until(async () =>
      (await this.proofs(email)).length > before ? this.proofs(email) : undefined,
    );
    return newest as string;
  }

  private async proofs(email: string): Promise<string[]> {
    const mails = await mailsNow(this.fixture, email);
    return mails.flatMap(({ text }) => /\/contacts\/link\/([\w-]{43})/.exec(text)?.[1] ?? []);
  }

  /** Waits for all jobs; returns the contest notices that were mailed to an address. */
  async notices(email: string): Promise<string[]> {
    await this.fixture.jobsDone();
    return (await mailsNow(this.fixture, email)).map(({ text }) => text).filter((text) => text.includes('Who you are'));
  }

  /** Signs in at the supplier of a customer with this meter point, which the register accepts; returns the token. */
  async suppliedToken(mpxn: string): Promise<string> {
    const { codes, token } = await this.supplied(mpxn);
    if (codes.length > 0) throw new Error(`the supplier's sign-in is rejected: ${codes.join(', ')}`);
    return token;
  }

  /** Signs in at the supplier of a customer with this meter point; returns the error codes, or the token, and the supplier. */
  async supplied(mpxn: string): Promise<{ codes: readonly string[]; token: string; mpid: string }> {
    const { mpid } = await (this.mpid ??= this.fixture.newSupplier());
    const login = { login: `contest-${mpxn}-${(this.people += 1)}`, password: 'a password', mpxns: [mpxn] };
    this.fixture.supplier.addLogins([login]);
    const { secret, url } = valueOf(await this.fixture.execute(START_SUPPLIER, { mpid, entry: { mpxn } }));
    const callbackUrl = await signInAtSupplier(url, login);
    const { data, codes } = await this.fixture.execute(FINISH_SUPPLIER, { secret, callbackUrl });
    return { codes, token: data?.finishSupplierSignIn?.token, mpid };
  }

  /** Executes the statements of docs/operations.md that act on a malicious supplier, which name it FELL. */
  async actOnMaliciousSupplier(mpid: string): Promise<void> {
    const [, rest = ''] = documentText('docs/operations.md').split('## Act on a malicious supplier');
    const [section = ''] = rest.split('\n## ');
    for (const [, statement = ''] of section.matchAll(/```sql([^`]+)```/g))
      await this.fixture.owner.query(statement.replace('FELL', mpid));
  }

  judge(token: string, contact: string, verdict: 'CONFIRMED' | 'REJECTED') {
    return this.fixture.execute(JUDGE, { contact, verdict }, asCustomer(token));
  }

  /** Creates a record whose passkey its Data User vouches for, with or without an address. */
  async passkeyHolder(by: Caller, mpxn: string, email: string | null): Promise<SoftwareAuthenticator> {
    const change = { email, initiatePasskeyRegistration: true, passkeyReturnUrl: 'https://larkhill.example/back' };
    const { ir, redirect } = await this.fixture.newEnrolment(by, change, { mpxn });
    const authenticator = new SoftwareAuthenticator({ origin: new URL(this.fixture.urls.portalUrl).origin });
    valueOf(await registered(this.fixture, lastPart(redirect), authenticator));
    await this.consent(by, ir, 'of the passkey');
    return authenticator;
  }

  /** Starts a sign-in by passkey and returns its assertion. */
  async assertion(authenticator: SoftwareAuthenticator) {
    const { secret, options } = valueOf(await this.fixture.execute(START_PASSKEY));
    return { secret, response: authenticator.get(options) };
  }

  async signedInByPasskey(authenticator: SoftwareAuthenticator): Promise<string> {
    const response = await this.fixture.execute(SIGN_IN_WITH_PASSKEY, {
      ...(await this.assertion(authenticator)),
      entry: null,
    });
    return valueOf(response).token;
  }
}
