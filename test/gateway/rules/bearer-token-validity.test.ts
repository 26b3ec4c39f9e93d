import { requireCurrent } from '../../../subgraphs/server/callers/bearer-token';

/** The register's clock, which can be behind that of the issuance: a standby database has taken over. */
const NOW = Date.parse('2026-11-20T09:30:00Z');

const codeOf = (validFrom: number, expiresAt: number): string | undefined => {
  try {
    return void requireCurrent({ validFrom: new Date(NOW + validFrom), expiresAt: new Date(NOW + expiresAt) }, NOW);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('A bearer token is valid', () => {
  it.each([
    ['from its issuance', 0, 1, undefined],
    ['up to a minute before it, by a clock that is behind', 60_000, 7_260_000, undefined],
    ['not earlier', 60_001, 7_260_001, 'AUT001'],
    ['not from its expiry on, by no tolerance', -7_200_000, 0, 'AUT002'],
  ])('%s', (_, validFrom, expiresAt, code) => {
    expect(codeOf(validFrom, expiresAt)).toBe(code);
  });
});
