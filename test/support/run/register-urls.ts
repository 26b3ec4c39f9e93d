import type { Environment } from '../../../process/environment';

/** Addresses of what a register serves. */
export type Urls = Readonly<Record<'gateway' | 'rest' | 'portal' | 'console', string>>;

/** Returns the addresses for which an environment names ports. */
export function urlsOf(environment: Environment): Urls {
  const url = (service: string) => `http://localhost:${environment[`${service}_PORT`]}`;
  return { gateway: url('GATEWAY'), rest: url('REST'), portal: url('PORTAL'), console: url('CONSOLE') };
}
