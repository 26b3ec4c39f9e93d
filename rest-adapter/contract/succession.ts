import type { Installation } from './installation';

/** Date of the register's first release, from which Interface A replaces Interface B. */
const SUCCEEDED_AT = new Date('2026-11-20T00:00:00Z');

/**
 * Returns the headers of a deprecated interface (decisions A/B, 8): since when it is deprecated (RFC 9745), until when
 * it is served (RFC 8594), and its successor (RFC 5829).
 */
export function successionHeaders({ baseUrl, legacySunset }: Installation): Readonly<Record<string, string>> {
  return {
    deprecation: `@${SUCCEEDED_AT.getTime() / 1000}`,
    sunset: legacySunset.toUTCString(),
    link: `<${baseUrl}>; rel="successor-version"`,
  };
}
