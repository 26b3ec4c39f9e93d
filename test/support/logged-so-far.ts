import type { SharedRegister } from './register';
import { anonymousClient } from './rest-client';
import { until } from './until';

/** Returns the log of a register, after it contains the lines of all earlier requests. */
export async function loggedSoFar(register: SharedRegister): Promise<string> {
  const { headers } = await anonymousClient(register.rest)('GET', `/v1/access-records/ak_${'0'.repeat(24)}`);
  const last = String(headers.get('transaction-id'));
  return until(() => {
    const log = register.log();
    return log.includes(last) ? log : undefined;
  });
}
