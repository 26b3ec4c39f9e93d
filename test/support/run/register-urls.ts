import type { Environment } from '../../../process/settings/environment';

/** URLs of a register's servers. */
export type Urls = Readonly<Record<'gateway' | 'rest' | 'portal' | 'console', string>>;

/** Returns the URLs for the ports in an environment. */
export function urlsOf(environment: Environment): Urls {
  const url = (service: string) => `http://localhost:${environment[`${service}_PORT`]}`;
  return { gateway: url('GATEWAY'), rest: url('REST'), portal: url('PORTAL'), console: url('CONSOLE') };
}
