import type { Installation } from './installation';

/** The day of the register's first release, from which on Interface A takes the place of Interface B. */
const SUCCEEDED_AT = new Date('2026-11-20T00:00:00Z');

/**
 * Headers of every answer of an interface that has a successor (2-decisions-a-b.md, section 8): since when nobody should begin with it
 * (RFC 9745), until when it is served (RFC 8594), and what takes its place (RFC 5829).
 */
export function successionHeaders({ baseUrl, legacySunset }: Installation): Readonly<Record<string, string>> {
  return {
    deprecation: `@${SUCCEEDED_AT.getTime() / 1000}`,
    sunset: legacySunset.toUTCString(),
    link: `<${baseUrl}>; rel="successor-version"`,
  };
}
