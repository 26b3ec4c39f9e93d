import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { REGISTER_CONSENT, consentOf } from '../consent-requests';
import { type Customer, identityRecord, newMpxn } from '../customers';
import { type Graph, failuresOf } from '../graph';
import { consentRecord, discoveredAccess } from '../records';
import type { RestResponse, RestClient } from '../rest-client';

/** The writers, and their connections to services that keep running while the services behind them are killed. */
export interface Writers {
  readonly dataUser: RestClient;
  readonly duid: string;
  /** Clients of the graph for the Data User, the communications operator and the customer. */
  readonly asDataUser: Graph;
  readonly asOperator: Graph;
  readonly operator: RestClient;
  readonly asCustomer: Graph;
  /** Enrolled by the Data User; all registrations concern this customer. */
  readonly customer: Customer;
  /** Resolves when the writing services run: callers wait for this before they repeat a request without response. */
  running(): Promise<unknown>;
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>;
}

/** A registration and its end; the purpose of its record is unique. */
export interface Registered {
  readonly ak: string;
  readonly purpose: string;
  /** The request, to be repeated. */
  readonly key: string;
  readonly body: unknown;
  readonly end: 'ACTIVE' | 'replaced' | 'REVOKED' | 'withdrawn';
}

/** A consent of Interface B and its updates. */
export interface Consented {
  readonly ck: string;
  readonly versions: number;
  readonly repeat: Record<string, unknown>;
}

/** An Identity Record that was anonymised during registrations against it. */
export interface Anonymised {
  readonly ir: string;
  readonly isAnonymised: boolean;
  /** Number of acknowledged registrations. */
  readonly registered: number;
}

/** A Change of Tenancy at a meter point with one ACTIVE record. */
export interface TenancyChange {
  readonly mpxn: string;
  readonly effectiveDate: string;
  readonly sourceReference: string;
}

/** The date of all Changes of Tenancy of the workload. */
export const DAY_OF_CHANGES = '2026-08-01';

/** The operations that the register acknowledged. */
export interface Acknowledged {
  readonly registered: Registered[];
  readonly consented: Consented[];
  readonly anonymised: Anonymised[];
  readonly changes: TenancyChange[];
  /** Access keys of discovered access, by the name of the organisation. */
  readonly discovered: Map<string, string>;
}

/** A workload of all writers together. */
export interface Writing {
  readonly acknowledged: Acknowledged;
  /** Returns the number of acknowledged operations. */
  operations(): number;
  /** Permits writers to begin new operations until the register has acknowledged this number. */
  allow(operations: number): void;
  /** Lets every writer complete its current operation. */
  stop(): Promise<void>;
}

const RECORD = `mutation ($input: ChangeOfTenancyInput!) {
  recordChangeOfTenancy(input: $input) { activeRecordsAffected dataUsersNotified } }`;
const ANONYMISE = 'mutation ($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { anonymisedAt } }';
const WITHDRAW = 'mutation ($id: ID!) { withdrawConsent(id: $id) { revokedAt } }';
const RECORD_ID = `select id from access.access_record where document->>'purpose' = $1`;
const DAY = 86_400_000;
/** Maximum milliseconds between two requests of a writer. */
const THINKS_FOR = 30;
const REGISTRARS = 4;
/** Outcomes after which a writer repeats the request: it is unknown whether the register executed it. */
const UNKNOWN = /^(?:SYS|LIM)/;

/**
 * Starts all writers. Each repeats a request without response, with the same idempotency key, until there is a
 * response.
 */
export function startWriting(writers: Writers): Writing {
  const acknowledged: Acknowledged = {
    ...{ registered: [], consented: [], anonymised: [], changes: [] },
    discovered: new Map(),
  };
  let stopped = false;
  let operations = 0;
  let allowed = Number.POSITIVE_INFINITY;
  const each = async (work: (one: Deed) => Promise<void>) => {
    const deed = new Deed(writers, acknowledged, () => (operations += 1));
    while (!stopped) {
      if (operations < allowed) await work(deed);
      await pause(randomInt(THINKS_FOR));
    }
  };
  const running = Promise.all([
    ...Array.from({ length: REGISTRARS }, () => each((deed) => deed.registration())),
    each((deed) => deed.consent()),
    each((deed) => deed.anonymising()),
    each((deed) => deed.tenancyChange()),
    each((deed) => deed.discovery()),
  ]);
  running.catch(() => undefined); // `stop` throws the error
  return {
    acknowledged,
    operations: () => operations,
    allow: (most) => {
      allowed = most;
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}

class Deed {
  constructor(
    private readonly by: Writers,
    private readonly acknowledged: Acknowledged,
    private readonly count: () => void,
  ) {}

  /** A registration that causes `consent.expiring`, and an end of its record: replaced, revoked, withdrawn, or none. */
  async registration(): Promise<void> {
    const { dataUser, customer } = this.by;
    const key = randomUUID();
    const purpose = `Registered ${key}`;
    const body = recordOf(customer.ir, purpose);
    const response = await this.rest(() => dataUser('POST', '/v1/access-records', body, { 'idempotency-key': key }));
    expectStatus(response, 201);
    const ak = String(response.body['access-token'].key);
    const end = (['ACTIVE', 'replaced', 'REVOKED', 'withdrawn'] as const)[randomInt(4)] ?? 'ACTIVE';
    const path = `/v1/access-records/${ak}`;
    // A repeat of an executed request is rejected, because the version or the state has changed.
    if (end === 'replaced') {
      const record = recordOf(customer.ir, `${purpose}, replaced`);
      expectStatus(await this.rest(() => dataUser('PUT', path, record, { 'if-match': '"1"' })), 200, 412);
    }
    if (end === 'REVOKED') expectStatus(await this.rest(() => dataUser('DELETE', path)), 200, 409);
    if (end === 'withdrawn') await this.withdrawal(purpose);
    this.acknowledged.registered.push({ ak, purpose, key, body, end });
  }

  private async withdrawal(purpose: string): Promise<void> {
    const [row] = await this.untilResponse(() => this.by.rows<{ id: string }>(RECORD_ID, [purpose]));
    await this.graph(() => this.by.asCustomer(WITHDRAW, { id: row?.id }), 'CNF001 withdrawConsent');
  }

  /** A consent of Interface B, and an update that moves it to another Identity Record. */
  async consent(): Promise<void> {
    const { asDataUser, duid } = this.by;
    const input = consentOf({ duid });
    const registration = { input, key: randomUUID() };
    const { data } = await this.graph(() => asDataUser(REGISTER_CONSENT, registration));
    const ck = String(data.registerConsent.consentToken.key);
    const update = { input: { ...input, moveInDate: '2023-01-01' }, ck, key: randomUUID() };
    const isUpdated = randomInt(2) === 0;
    if (isUpdated) await this.graph(() => asDataUser(REGISTER_CONSENT, update));
    this.acknowledged.consented.push({
      ck,
      versions: isUpdated ? 2 : 1,
      repeat: isUpdated ? update : registration,
    });
  }

  /** Anonymisation of an Identity Record, with up to two concurrent registrations against it. */
  async anonymising(): Promise<void> {
    const ir = await this.enrolled(newMpxn());
    const register = async () => {
      const key = { 'idempotency-key': randomUUID() };
      const response = await this.rest(() =>
        this.by.dataUser('POST', '/v1/access-records', consentRecord(ir, { purpose: 'Anonymising' }), key),
      );
      expectStatus(response, 201, 409);
      return response.status === 201;
    };
    const [failures, ...registrations] = await Promise.all([
      this.graph(() => this.by.asDataUser(ANONYMISE, { ir }), 'CNF003 anonymiseIdentityRecord').then(failuresOf),
      ...Array.from({ length: randomInt(3) }, register),
    ]);
    const registered = registrations.filter(Boolean).length;
    this.acknowledged.anonymised.push({ ir, isAnonymised: failures.length === 0, registered });
  }

  /** A Change of Tenancy at a meter point with one ACTIVE record. */
  async tenancyChange(): Promise<void> {
    const mpxn = newMpxn();
    const ir = await this.enrolled(mpxn);
    const key = { 'idempotency-key': randomUUID() };
    const record = consentRecord(ir, { purpose: 'Change of Tenancy' });
    expectStatus(await this.rest(() => this.by.dataUser('POST', '/v1/access-records', record, key)), 201);
    const input = { mpxn, effectiveDate: DAY_OF_CHANGES, sourceReference: `COT-${mpxn}` };
    const { data } = await this.graph(() => this.by.asOperator(RECORD, { input }));
    const { activeRecordsAffected, dataUsersNotified } = data.recordChangeOfTenancy;
    if (activeRecordsAffected !== 1 || String(dataUsersNotified) !== this.by.duid)
      throw new Error(`a Change of Tenancy received the response ${JSON.stringify(data)}`);
    this.acknowledged.changes.push(input);
  }

  /** A report of discovered access by the operator. */
  async discovery(): Promise<void> {
    const mpxn = newMpxn();
    const report = discoveredAccess(mpxn, `Discovered ${mpxn}`);
    const key = { 'idempotency-key': randomUUID() };
    const response = await this.rest(() => this.by.operator('POST', '/v1/discovered-access', report, key));
    expectStatus(response, 201);
    this.acknowledged.discovered.set(`Discovered ${mpxn}`, String(response.body['ak']));
  }

  private async enrolled(mpxn: string): Promise<string> {
    const key = { 'idempotency-key': randomUUID() };
    const record = identityRecord(mpxn, null);
    const response = await this.rest(() => this.by.dataUser('POST', '/v1/identity-records', record, key));
    expectStatus(response, 201);
    return String(response.body['ir']);
  }

  private async rest(send: () => Promise<RestResponse>): Promise<RestResponse> {
    const response = await this.untilResponse(async () => {
      const got = await send();
      return got.status >= 500 ? undefined : got;
    });
    this.count();
    return response;
  }

  /** Sends an operation to the graph; an error that is not permitted throws. */
  private async graph(send: () => ReturnType<Graph>, ...allowed: string[]) {
    const response = await this.untilResponse(async () => {
      const got = await send();
      return failuresOf(got).some((failure) => UNKNOWN.test(failure)) ? undefined : got;
    });
    const failures = failuresOf(response);
    if (failures.some((failure) => !allowed.includes(failure))) throw new Error(failures.join(', '));
    this.count();
    return response;
  }

  private async untilResponse<Result>(send: () => Promise<Result | undefined>): Promise<Result> {
    for (;;) {
      const response = await send().catch(() => undefined);
      if (response !== undefined) return response;
      await pause(100);
      await this.by.running();
    }
  }
}

function recordOf(ir: string, purpose: string) {
  const record = consentRecord(ir, { purpose });
  const expiry = new Date(Date.now() + 20 * DAY).toISOString();
  return { ...record, 'access-event': { ...record['access-event'], expiry } };
}

function expectStatus({ status, body }: RestResponse, ...allowed: number[]): void {
  if (!allowed.includes(status)) throw new Error(`the register responded with ${status}: ${JSON.stringify(body)}`);
}
