import { identityRecord, newMpxn } from '../customers';
import { type Graph, failuresOf, graphOf } from '../graph';
import { consentRecord } from '../records';
import { type RestClient, accountOf, signedInClient, tokenOf } from '../rest-client';
import { until } from '../until';
import { type HeldSteps, heldSteps } from './held-steps';
import { ANONYMISED, changesOn, standings, untouched } from './invariants';
import { type KillsFixture, killCore } from './kills-fixture';

const IS_LONG = process.env['TEST_LONG'] !== undefined;
/** Milliseconds: a job checks after a few seconds; the rest is for slow machines. */
const ENDS_WITHIN = 60_000;
const ANONYMISE = 'mutation ($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { anonymisedAt } }';
const RECORD = `mutation ($input: ChangeOfTenancyInput!) {
  recordChangeOfTenancy(input: $input) { activeRecordsAffected dataUsersNotified isNew } }`;

/** A meter point with one ACTIVE record, and a Change of Tenancy there. */
interface Change {
  readonly mpxn: string;
  readonly effectiveDate: string;
  readonly sourceReference: string;
}

/**
 * Kills the writing process at steps that a kill at a random moment would rarely hit. Several requests are held at
 * their steps together, each by its own lock, so that one kill and one start are enough for all; `identity` anonymises
 * two records concurrently.
 */
export function heldStepKills(fixtureOf: () => KillsFixture): void {
  let fixture: KillsFixture;
  let steps: HeldSteps;
  let dataUser: RestClient;
  let duid: string;
  let graph: Graph;
  let operator: Graph;
  let changes = 0;

  beforeAll(async () => {
    fixture = fixtureOf();
    steps = heldSteps(fixture);
    const { register } = fixture;
    dataUser = await signedInClient(register, 'data_user');
    duid = accountOf(register.sandbox, 'data_user').duid as string;
    graph = graphOf(register, await tokenOf(register, 'data_user'));
    operator = graphOf(register, await tokenOf(register, 'communications_operator'));
  });
  afterEach(() => steps.release());

  const rows = async <Row>(text: string, values?: unknown[]) => (await fixture.owner.query(text, values)).rows as Row[];
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
  /** A request whose process is killed must not return a result. */
  const start = (request: Promise<unknown>) => {
    const outcome = request.then(String, () => 'no response');
    return { expectNoResponse: async () => expect(await outcome).toMatch(/^no response$|^SYS002/) };
  };
  const beginAnonymising = (ir: string) => start(anonymise(ir));
  const beginChange = (input: Change) =>
    start(operator(RECORD, { input }).then((response) => failuresOf(response)[0] ?? 'recorded'));

  /** Deletes the job, as a restore would; the work that it should have completed began two minutes ago. */
  async function loseJob(table: string, column: string, where: string, value: string): Promise<void> {
    const [row] = await rows<{ id: string }>(`select id from identity.${table} where ${where} = $1`, [value]);
    await rows(`delete from identity_jobs._private_jobs where payload->>'id' = $1`, [row?.id]);
    await rows(`alter table identity.${table} disable trigger not_rewritten`);
    await rows(`update identity.${table} set ${column} = ${column} - interval '2 minutes' where id = $1`, [row?.id]);
    await rows(`alter table identity.${table} enable trigger not_rewritten`);
  }

  /** Expects the final result of a change: one event, and a response with the same result. */
  async function expectOneEvent(input: Change, isNew: boolean): Promise<void> {
    const { data, errors } = await operator(RECORD, { input });
    expect(errors).toEqual([]);
    expect(data.recordChangeOfTenancy).toEqual({ activeRecordsAffected: 1, dataUsersNotified: [duid], isNew });
    expect(await standingOf(input)).toEqual({ announced: true, events: 1 });
  }

  async function expectAnonymised(ir: string): Promise<void> {
    await until(async () => ((await standing(ir))?.anonymised ? true : undefined), ENDS_WITHIN);
    expect(await standing(ir)).toEqual(ANONYMISED);
    expect(await anonymise(ir)).toBe('anonymised');
    expect(await registerAt(ir)).toBe(409);
  }

  const announced = (change: Change) =>
    until(async () => ((await standingOf(change))?.announced ? true : undefined), ENDS_WITHIN);

  it('completes interrupted anonymisation at its next start, and writes the missing event of a Change of Tenancy', async () => {
    const [links, keys] = [await enrolled(), await enrolled()];
    const [unrecorded, unannounced, lost] = [await changeToRecord(), await changeToRecord(), await changeToRecord()];
    const announcing = await steps.hold('lock table access.tenancy_change in share mode');
    const destroying = await steps.hold('lock table identity_keys.data_key in share mode');
    const requests = [beginChange(unannounced), beginChange(lost), beginAnonymising(keys)];
    await Promise.all([announcing.waiting(2, 'tenancy_change'), destroying.waiting(1, 'delete')]);
    const recording = await steps.hold('lock table identity.change_of_tenancy in share mode');
    const unlinking = await steps.hold('lock table access.access_record in share mode');
    requests.push(beginChange(unrecorded), beginAnonymising(links));
    await Promise.all([recording.waiting(1, 'insert'), unlinking.waiting(1, 'superseded_by = null')]);

    await killCore(fixture);
    await steps.release();
    for (const request of requests) await request.expectNoResponse();
    expect(await standing(links)).toMatchObject({ closing: true, closed: true, anonymised: false });
    expect(await standing(keys)).toMatchObject({ closing: true, closed: true, anonymised: false });
    expect(await standingOf(unrecorded)).toBeUndefined();
    for (const change of [unannounced, lost]) expect(await standingOf(change)).toEqual({ announced: false, events: 0 });
    await loseJob('change_of_tenancy', 'recorded_at', 'effective_date', lost.effectiveDate);
    await fixture.core.start();

    await expectOneEvent(unrecorded, true);
    for (const change of [unannounced, lost]) {
      await announced(change);
      await expectOneEvent(change, false);
    }
    for (const ir of [links, keys]) await expectAnonymised(ir);
  });

  it('undoes anonymisation of a record with ACTIVE access, completes one whose job is lost, and writes no second event of a change', async () => {
    const [active, lost, unnoted] = [await enrolled(), await enrolled(), await changeToRecord()];
    expect(await registerAt(active)).toBe(201);
    const announcing = await steps.hold('lock table access.tenancy_change in share mode');
    const destroying = await steps.hold('lock table identity_keys.data_key in share mode');
    const requests = [beginChange(unnoted), beginAnonymising(lost)];
    await Promise.all([announcing.waiting(1, 'tenancy_change'), destroying.waiting(1, 'delete')]);
    const noting = await steps.hold('select from identity.change_of_tenancy where effective_date = $1 for update', [
      unnoted.effectiveDate,
    ]);
    const closing = await steps.hold('lock table access.closed_identity_link in share mode');
    await announcing.release();
    requests.push(beginAnonymising(active));
    await Promise.all([noting.waiting(1, 'announced_at'), closing.waiting(1, 'insert')]);

    await killCore(fixture);
    await steps.release();
    for (const request of requests) await request.expectNoResponse();
    expect(await standing(active)).toEqual({ ...untouched(1), closing: true });
    expect(await standingOf(unnoted)).toEqual({ announced: false, events: 1 });
    await loseJob('identity_record', 'closing_at', 'ref', lost);
    await fixture.core.start();

    await until(async () => ((await standing(active))?.closing ? undefined : true), ENDS_WITHIN);
    expect(await standing(active)).toEqual(untouched(1));
    expect(await registerAt(active)).toBe(201);
    await expectAnonymised(lost);
    await announced(unnoted);
    await expectOneEvent(unnoted, false);
  });

  if (IS_LONG) {
    it('does not begin anonymisation that was killed before its first step, and completes one that was killed before its last', async () => {
      const [first, last] = [await enrolled(), await enrolled()];
      const marking = await steps.hold('select from identity.identity_record where ref = $1 for update', [first]);
      const requests = [beginAnonymising(first)];
      await marking.waiting(1, 'update');
      const ending = await steps.hold('lock table identity.identity_look in share mode');
      requests.push(beginAnonymising(last));
      await ending.waiting(1, 'delete');

      await killCore(fixture);
      await steps.release();
      for (const request of requests) await request.expectNoResponse();
      expect(await standing(first)).toMatchObject({ closing: false, closed: false });
      expect(await standing(last)).toMatchObject({ closing: true, closed: true, unreadable: false });
      await fixture.core.start();

      expect(await standing(first)).toEqual(untouched(0));
      expect(await anonymise(first)).toBe('anonymised');
      for (const ir of [first, last]) await expectAnonymised(ir);
    });
  }
}
