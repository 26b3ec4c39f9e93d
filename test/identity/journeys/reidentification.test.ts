import { Client } from 'pg';
import { SoftwareAuthenticator } from '../../support/authenticator';
import {
  CEREMONY,
  CONFIRM_LINK,
  EXISTS,
  FINISH,
  MAIL_PROOF,
  OPTIONS,
  OWN_STATUS,
  READ,
  REIDENTIFY,
  REIDENTIFY_OWN,
  REMOVE,
  STATUS,
  lastPart,
} from '../../support/ceremonies';
import { linkIn, newMpxn, nextMail } from '../../support/customers';
import { type Graph, graphAs, graphOf } from '../../support/graph';
import { type SharedRegister, sharedRegister, usualWirings } from '../../support/register';
import { loggedSoFar } from '../../support/logged-so-far';
import { findings } from '../../support/secret-scan';

const REGISTER = 'mutation ($input: IdentityRecordInput!) { registerIdentityRecord(input: $input) { ir } }';

describe.each(usualWirings())('A customer registered by another Data User (%s)', (wiring) => {
  let register: SharedRegister;
  let enrolling: Graph;
  let initiating: Graph;
  let browser: Graph;
  let returnUrl: string;
  /** All responses that the initiating Data User and the customer's browser received. */
  const received: string[] = [];
  const hidden = new Map<string, string>();
  const mpxn = newMpxn();
  const email = `returning-${mpxn}@customer.example`;
  let passkeys: SoftwareAuthenticator;
  let ref: string;

  const overheard =
    (graph: Graph): Graph =>
    async (query, variables) => {
      const response = await graph(query, variables);
      received.push(`${JSON.stringify([...response.headers])} ${response.text}`);
      return response;
    };

  beforeAll(async () => {
    register = await sharedRegister(wiring);
    enrolling = await graphAs(register, 'data_user', 0);
    initiating = overheard(await graphAs(register, 'data_user', 1));
    browser = overheard(graphOf(register));
    const [first, second] = register.sandbox.accounts.filter(({ role }) => role === 'data_user');
    returnUrl = second?.return_urls?.[0] as string;
    passkeys = new SoftwareAuthenticator({ origin: new URL(register.portal).origin });
    const input = {
      piiPrincipal: { mpxn, moveInDate: '2021-04-01' },
      expressedBy: 'DATA_SUBJECT',
      email,
    };
    ref = (await enrolling(REGISTER, { input })).data.registerIdentityRecord.ir;
    hidden.set('ir', ref).set('e-mail', email);
    hidden.set('enrolling Data User', first?.duid as string).set('its name', first?.name as string);
    const owner = new Client({ connectionString: register.databaseUrl });
    await owner.connect();
    const { rows } = await owner.query('select id from identity.identity_record where ref = $1', [ref]);
    hidden.set('internal id', rows[0].id);
    await owner.end();
  });

  const start = async (method: string) => {
    const { data } = await initiating(REIDENTIFY, { input: { mpxn, method, passkeyReturnUrl: returnUrl } });
    const { redirectUrl, tokenRef } = data.reidentify.passkey;
    return { secret: lastPart(redirectUrl), tokenRef: tokenRef as string };
  };
  const optionsOf = async (secret: string) => (await browser(OPTIONS, { secret })).data.passkeyCeremonyOptions.options;
  const finish = async (secret: string, response: unknown) =>
    (await browser(FINISH, { secret, response })).data?.finishPasskeyCeremony;
  const statusOf = async (token: string) => (await initiating(STATUS, { token })).data.reidentification.status;

  it('adds a passkey after a proof by mail, and is re-identified by it', async () => {
    const { secret, tokenRef } = await start('PASSKEY_REGISTER');
    expect((await browser(CEREMONY, { secret })).data.ceremony).toMatchObject({ proofs: ['MAIL'] });
    expect((await browser(MAIL_PROOF, { secret, language: 'CY' })).data.mailCeremonyProof).toBe(true);
    const link = linkIn(await nextMail(register, email));
    expect(link.startsWith(`${register.portal}/identify/proof/`)).toBe(true);
    const { nextSecret } = (await browser(CONFIRM_LINK, { secret: lastPart(link) })).data.confirmCeremonyLink;
    const outcome = await finish(nextSecret, passkeys.create(await optionsOf(nextSecret)));
    expect(outcome.returnUrl).toBe(`${returnUrl}?dar-passkey-token=${tokenRef}`);
    expect(await statusOf(tokenRef)).toBe('CONFIRMED');
  });

  it('is re-identified by the passkey from then on', async () => {
    const existence = await initiating(EXISTS, { mpxn });
    expect(existence.data.identityRecordExistence.availableMethods).toContain('PASSKEY_ASSERT');
    const { secret, tokenRef } = await start('PASSKEY_ASSERT');
    const stolen = passkeys.get(await optionsOf(secret), { origin: 'https://evil.example' });
    expect(await finish(secret, stolen)).toBeUndefined();
    const outcome = await finish(secret, passkeys.get(await optionsOf(secret)));
    expect(outcome.returnUrl).toBe(`${returnUrl}?dar-passkey-token=${tokenRef}`);
    expect(await statusOf(tokenRef)).toBe('CONFIRMED');
  });

  it('can have the passkey removed by the Data User that registered it', async () => {
    const { credentials } = (await enrolling(READ, { ref })).data.identityRecord;
    expect(credentials).toHaveLength(1);
    const { secret } = await start('PASSKEY_ASSERT');
    const options = await optionsOf(secret);
    const [{ credentialId: id }] = credentials;
    expect((await enrolling(REMOVE, { ref, id })).data.removeCredential).toEqual({ credentialId: id });
    expect(await finish(secret, passkeys.get(options))).toBeUndefined();
    expect((await enrolling(READ, { ref })).data.identityRecord.credentials).toEqual([]);
  });

  it('is not disclosed to the initiator: no response, header or log line names the owner of the record', async () => {
    const before = received.length;
    const { tokenRef } = await start('PASSKEY_REGISTER');
    await initiating(OWN_STATUS, { ref: `ir_${'0'.repeat(24)}`, token: tokenRef });
    await initiating(REIDENTIFY, { input: { mpxn, method: 'PASSKEY_ASSERT', passkeyReturnUrl: returnUrl } });
    await browser(CONFIRM_LINK, { secret: tokenRef });
    expect(received.length).toBe(before + 4);
    expect(findings(hidden, [{ name: 'a response', content: Buffer.from(received.join('\n')) }])).toEqual([]);
    hidden.delete('enrolling Data User'); // its own requests are logged with its name
    hidden.delete('its name');
    hidden.set('MPxN', mpxn).set('token-ref', tokenRef);
    expect(findings(hidden, [{ name: 'the log', content: Buffer.from(await loggedSoFar(register)) }])).toEqual([]);
    const other = await initiating(REIDENTIFY_OWN, { ref, input: { method: 'MAGIC_LINK' } });
    expect(other.errors.map(({ extensions }) => extensions.code)).toEqual(['PRM002']);
  });
});
