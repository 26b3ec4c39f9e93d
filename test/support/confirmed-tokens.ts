import { type Customer, type DataUser, linkIn, mailsTo } from './customers';
import { graphOf, persistentGraph } from './graph';
import { consentRecord } from './records';
import type { SharedRegister } from './register';
import { MAX_REPEATS, type RestResponse, good, persistent } from './rest-client';
import { until } from './until';

const CONFIRM = 'mutation ($secret: String!) { confirmCeremonyLink(secret: $secret) { organisation } }';

/**
 * Returns tokens for a customer whom another Data User enrolled: each requested, mailed, and confirmed with the button
 * of its page.
 */
export async function confirmedTokens(
  register: SharedRegister,
  { rest }: Pick<DataUser, 'rest'>,
  { mpxn, email }: Pick<Customer, 'mpxn' | 'email'>,
  count: number,
): Promise<string[]> {
  const mailsBefore = (await mailsTo(register, email)).length;
  const tokens = await repeated(count, async () => {
    const request = { mpxn, method: 'magic-link' };
    const { body } = good(await persistent(rest, MAX_REPEATS)('POST', '/v1/identity-records/reidentify', request));
    return String(body['magic-link']['token-ref']);
  });
  const mails = await until(async () => {
    const sent = await mailsTo(register, email);
    return sent.length >= mailsBefore + count ? sent.slice(0, count) : undefined;
  }, 600_000);
  const graph = persistentGraph(graphOf(register), MAX_REPEATS);
  await repeated(count, async (index) => {
    const secret = linkIn(mails[index] as (typeof mails)[number])
      .split('/')
      .at(-1) as string;
    const { errors } = await graph(CONFIRM, { secret });
    if (errors.length > 0) throw new Error(`a link was not confirmed: ${JSON.stringify(errors)}`);
  });
  return tokens;
}

/** Returns a registration that redeems a token; its purpose identifies it. */
export function recordWithToken(token: string, purpose = 'Find a better tariff') {
  const { 'record-metadata': metadata, ...record } = consentRecord('', { purpose });
  const { 'identity-record-ref': _, ...rest } = metadata;
  return { ...record, 'record-metadata': rest, 'reidentification-token': token };
}

/** Returns the status and first error code of a response: `400 VAL009`. */
export function codeOf({ status, body }: RestResponse): string {
  return [status, body['errors']?.[0]['error-code']].filter((part) => part !== undefined).join(' ');
}

/** Runs a number of repetitions, some concurrently; returns the results in order. */
export async function repeated<Result>(
  count: number,
  work: (index: number) => Promise<Result>,
  atOnce = 20,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  return results;
}
