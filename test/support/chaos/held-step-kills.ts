import { identityRecord, newMpxn } from '../customers';
import { type Graph, failuresOf, graphOf } from '../graph';
import { consentRecord } from '../records';
import { type RestClient, accountOf, signedInClient, tokenOf } from '../rest-client';
import { until } from '../until';
import { type HeldSteps, heldSteps } from './held-steps';
import { ANONYMISED, changesOn, standings, untouched } from './invariants';
import { type KillsRoom, killCore } from './kills-room';

const IS_LONG = process.env['TEST_LONG'] !== undefined;
/** Milliseconds: the few seconds after which a job looks, on a slow machine. */
const ENDS_WITHIN = 60_000;
const ANONYMISE = 'mutation ($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { anonymisedAt } }';
const RECORD = `mutation ($input: ChangeOfTenancyInput!) {
  recordChangeOfTenancy(input: $input) { activeRecordsAffected dataUsersNotified isNew } }`;

/** A meter point with one ACTIVE record, and a change of its tenancy. */
interface Change {
  readonly mpxn: string;
  readonly effectiveDate: string;
  readonly sourceReference: string;
}

/**
 * Kills of the process that writes at steps that random moments would not meet. Several requests are held at their steps at once, each by
 * a lock of its own, so that one kill and one start serve them all; `identity` anonymises two records at once.
 */
export function heldStepKills(roomOf: () => KillsRoom): void {
  let room: KillsRoom;
  let steps: HeldSteps;
  let dataUser: RestClient;
  let duid: string;
  let graph: Graph;
  let operator: Graph;
  let changes = 0;

  beforeAll(async () => {
    room = roomOf();
    steps = heldSteps(room);
    const { register } = room;
    dataUser = await signedInClient(register, 'data_user');
    duid = accountOf(register.sandbox, 'data_user').duid as string;
    graph = graphOf(register, await tokenOf(register, 'data_user'));
    operator = graphOf(register, await tokenOf(register, 'communications_operator'));
  });
  afterEach(() => steps.release());

  const rows = async <Row>(text: string, values?: unknown[]) => (await room.owner.query(text, values)).rows as Row[];
  const standing = async (ir: string) => (await standings(rows, [ir]))[ir];
  const standingOf = async ({ effectiveDate }: Change) => (await changesOn(rows, effectiveDate))[0];
  const registerAt = async (ir: string) => (await dataUser('POST', '/v1/access-records', consentRecord(ir))).status;
  const enrolled = async (mpxn = newMpxn()) => {
    const { status, body } = await dataUser('POST', '/v1/identity-records', identityRecord(mpxn, null));
    expect(status).toBe(201);
    return String(body['ir']);
  };
  const anonymise = async (ir: string) => failuresOf(await graph(ANONYMISE, { ir }))[0] ?? 'anonymised';
  const changeToRecord = async (): Promise<Change> => {
    const mpxn = newMpxn();
    expect(await registerAt(await enrolled(mpxn))).toBe(201);
    return { mpxn, effectiveDate: `2026-09-${String(++changes).padStart(2, '0')}`, sourceReference: `COT-${mpxn}` };
  };
  /** A request that is killed is not answered with a result. */
  const begun = (request: Promise<unknown>) => {
    const outcome = request.then(String, () => 'no answer');
    return { unanswered: async () => expect(await outcome).toMatch(/^no answer$|^SYS002/) };
  };
  const beginAnonymising = (ir: string) => begun(anonymise(ir));
  const beginChange = (input: Change) =>
    begun(operator(RECORD, { input }).then((answer) => failuresOf(answer)[0] ?? 'recorded'));

  /** The job is deleted, as in a restore; what it should have ended began two minutes ago. */
  async function loseJob(table: string, column: string, where: string, value: string): Promise<void> {
    const [row] = await rows<{ id: string }>(`select id from identity.${table} where ${where} = $1`, [value]);
    await rows(`delete from identity_jobs._private_jobs where payload->>'id' = $1`, [row?.id]);
    await rows(`alter table identity.${table} disable trigger not_rewritten`);
    await rows(`update identity.${table} set ${column} = ${column} - interval '2 minutes' where id = $1`, [row?.id]);
    await rows(`alter table identity.${table} enable trigger not_rewritten`);
  }

  /** What came of a change in the end: told once, and answered so. */
  async function expectToldOnce(input: Change, isNew: boolean): Promise<void> {
    const { data, errors } = await operator(RECORD, { input });
    expect(errors).toEqual([]);
    expect(data.recordChangeOfTenancy).toEqual({ activeRecordsAffected: 1, dataUsersNotified: [duid], isNew });
    expect(await standingOf(input)).toEqual({ announced: true, told: 1 });
  }

  async function expectAnonymised(ir: string): Promise<void> {
    await until(async () => ((await standing(ir))?.anonymised ? true : undefined), ENDS_WITHIN);
    expect(await standing(ir)).toEqual(ANONYMISED);
    expect(await anonymise(ir)).toBe('anonymised');
    expect(await registerAt(ir)).toBe(409);
  }

  const announced = (change: Change) =>
    until(async () => ((await standingOf(change))?.announced ? true : undefined), ENDS_WITHIN);

  it('anonymising between its steps is finished, and a Change of Tenancy that was not told is told, by the next start', async () => {
    const [links, keys] = [await enrolled(), await enrolled()];
    const [unrecorded, untold, lost] = [await changeToRecord(), await changeToRecord(), await changeToRecord()];
    const telling = await steps.hold('lock table access.tenancy_change in share mode');
    const destroying = await steps.hold('lock table identity_keys.data_key in share mode');
    const requests = [beginChange(untold), beginChange(lost), beginAnonymising(keys)];
    await Promise.all([telling.waiting(2, 'tenancy_change'), destroying.waiting(1, 'delete')]);
    const recording = await steps.hold('lock table identity.change_of_tenancy in share mode');
    const unlinking = await steps.hold('lock table access.access_record in share mode');
    requests.push(beginChange(unrecorded), beginAnonymising(links));
    await Promise.all([recording.waiting(1, 'insert'), unlinking.waiting(1, 'superseded_by = null')]);

    await killCore(room);
    await steps.release();
    for (const request of requests) await request.unanswered();
    expect(await standing(links)).toMatchObject({ closing: true, closed: false });
    expect(await standing(keys)).toMatchObject({ closing: true, closed: true, anonymised: false });
    expect(await standingOf(unrecorded)).toBeUndefined();
    for (const change of [untold, lost]) expect(await standingOf(change)).toEqual({ announced: false, told: 0 });
    await loseJob('change_of_tenancy', 'recorded_at', 'effective_date', lost.effectiveDate);
    await room.core.start();

    await expectToldOnce(unrecorded, true);
    for (const change of [untold, lost]) {
      await announced(change);
      await expectToldOnce(change, false);
    }
    for (const ir of [links, keys]) await expectAnonymised(ir);
  });

  it('anonymising is undone beside an ACTIVE record, and ended although its job was lost; a change is told no second time', async () => {
    const [active, lost, unnoted] = [await enrolled(), await enrolled(), await changeToRecord()];
    expect(await registerAt(active)).toBe(201);
    const telling = await steps.hold('lock table access.tenancy_change in share mode');
    const destroying = await steps.hold('lock table identity_keys.data_key in share mode');
    const requests = [beginChange(unnoted), beginAnonymising(lost)];
    await Promise.all([telling.waiting(1, 'tenancy_change'), destroying.waiting(1, 'delete')]);
    const noting = await steps.hold('select from identity.change_of_tenancy where effective_date = $1 for update', [
      unnoted.effectiveDate,
    ]);
    const closing = await steps.hold('lock table access.closed_identity_link in share mode');
    await telling.release();
    requests.push(beginAnonymising(active));
    await Promise.all([noting.waiting(1, 'announced_at'), closing.waiting(1, 'insert')]);

    await killCore(room);
    await steps.release();
    for (const request of requests) await request.unanswered();
    expect(await standing(active)).toEqual({ ...untouched(1), closing: true });
    expect(await standingOf(unnoted)).toEqual({ announced: false, told: 1 });
    await loseJob('identity_record', 'closing_at', 'ref', lost);
    await room.core.start();

    await until(async () => ((await standing(active))?.closing ? undefined : true), ENDS_WITHIN);
    expect(await standing(active)).toEqual(untouched(1));
    expect(await registerAt(active)).toBe(201);
    await expectAnonymised(lost);
    await announced(unnoted);
    await expectToldOnce(unnoted, false);
  });

  if (IS_LONG) {
    it('anonymising before its first step was never begun, and before its last is finished by the next start', async () => {
      const [first, last] = [await enrolled(), await enrolled()];
      const marking = await steps.hold('select from identity.identity_record where ref = $1 for update', [first]);
      const requests = [beginAnonymising(first)];
      await marking.waiting(1, 'update');
      const ending = await steps.hold('lock table identity.identity_look in share mode');
      requests.push(beginAnonymising(last));
      await ending.waiting(1, 'delete');

      await killCore(room);
      await steps.release();
      for (const request of requests) await request.unanswered();
      expect(await standing(first)).toMatchObject({ closing: false, closed: false });
      expect(await standing(last)).toMatchObject({ closing: true, closed: true, unreadable: false });
      await room.core.start();

      expect(await standing(first)).toEqual(untouched(0));
      expect(await anonymise(first)).toBe('anonymised');
      for (const ir of [first, last]) await expectAnonymised(ir);
    });
  }
}
