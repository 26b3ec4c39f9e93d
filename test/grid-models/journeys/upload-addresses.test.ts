import { type OnboardedAccount, graphFor, onboarded, runAdminCommand } from '../../support/administration';
import { rowsOf } from '../../support/backup-fixture';
import { type Graph, graphAs } from '../../support/graph';
import { gridArchive, withZip64Locator, withZip64Offset } from '../../support/grid-archives';
import { type SharedRegister, sharedRegister, usualWirings } from '../../support/register';
import { until } from '../../support/until';

const PREPARE = 'mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }';
const PROJECT = `query ($projectId: ProjectId!) {
  developmentProject(area: "EPN", publicationYear: 2026, period: "01", projectId: $projectId) { projectId }
}`;
const EXTENDED = `select from grid_models.upload where project_id = $1 and expires_at > prepared_at + interval '1 hour'`;

describe.each(usualWirings())('The upload addresses of an admin (%s)', (wiring) => {
  let register: SharedRegister;
  let admin: Graph;
  beforeAll(async () => {
    register = await sharedRegister(wiring);
    admin = await graphAs(register, 'admin');
  });

  const prepare = async (of: Graph, projectId: string) => {
    const { data } = await of(PREPARE, { input: { area: 'EPN', publicationYear: 2026, period: '01', projectId } });
    return `${register.rest}${data.prepareGridPublication.address}`;
  };
  const send = async (url: string, body: ReadableStream<Uint8Array> | Uint8Array, method = 'PUT') => {
    const headers = { 'content-type': 'application/zip' };
    return (await fetch(url, { method, headers, body, duplex: 'half' } as RequestInit)).status;
  };

  /** Starts an upload whose last byte is missing. Resolves when the register reads it; `finish` sends that byte. */
  const startUpload = async (url: string, projectId: string, archive: Uint8Array) => {
    let sender!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (sender = controller) });
    sender.enqueue(archive.subarray(0, -1));
    const status = send(url, body).catch(String);
    await until(async () => (await rowsOf(register.databaseUrl, EXTENDED, [projectId])).length > 0 || undefined);
    return {
      finish() {
        sender.enqueue(archive.subarray(-1));
        sender.close();
        return status;
      },
    };
  };

  it.each<[string, (account: OnboardedAccount) => Promise<unknown>]>([
    ['Revoked', ({ accountId }) => runAdminCommand(register, 'revoke-secret', '--account', accountId)],
    ['Suspended', ({ accountId }) => admin(`mutation { suspendAccount(accountId: "${accountId}") { status } }`)],
  ])('end with its credentials, also for an upload under way: %s', async (projectId, revoke) => {
    const account = await onboarded(admin, { role: 'ADMIN', displayName: projectId });
    const [thief, archive] = [await graphFor(register, account), new Uint8Array(await gridArchive())];
    const [unused, begun] = [await prepare(thief, projectId), await prepare(thief, projectId)];
    const upload = await startUpload(begun, projectId, archive);
    await revoke(account);
    expect(await send(unused, archive)).toBe(410);
    expect(await send(`${unused}/check`, archive, 'POST')).toBe(410);
    expect(await upload.finish()).toBe(410);
    expect((await admin(PROJECT, { projectId })).data.developmentProject).toBeNull();
    await admin(`mutation { terminateAccount(accountId: "${account.accountId}") { status } }`);
  });

  it('of a new sign-in are valid after its secret was replaced', async () => {
    const account = await onboarded(admin, { role: 'ADMIN', displayName: 'Replaced' });
    const printed = JSON.parse(await runAdminCommand(register, 'revoke-secret', '--account', account.accountId));
    const owner = await graphFor(register, { ...account, secretKey: printed.secret_key });
    expect(await send(await prepare(owner, 'Replaced'), new Uint8Array(await gridArchive()))).toBe(201);
    await admin(`mutation { terminateAccount(accountId: "${account.accountId}") { status } }`);
  });

  it.each([
    ['end record', withZip64Locator],
    ['member', withZip64Offset],
  ])('reject an archive whose zip64 %s is at an offset that no file has, and serve on', async (part, changed) => {
    const archive = await gridArchive();
    const address = await prepare(admin, `Zip64-${part.slice(-6)}`);
    for (const offset of [2n ** 60n, 2n ** 53n, 2n ** 40n, BigInt(archive.length)])
      expect(await send(address, new Uint8Array(changed(archive, offset)))).toBe(422);
    expect(await send(`${address}/check`, new Uint8Array(archive), 'POST')).toBe(200);
    expect(await send(address, new Uint8Array(archive))).toBe(201);
  });
});
