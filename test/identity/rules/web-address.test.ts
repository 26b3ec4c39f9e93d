import { webAddressViolation } from '../../../subgraphs/server/web-address';

const accepted = [
  'https://example.org',
  'HTTPS://EXAMPLE.ORG/terms',
  'https://example.org:8443/terms?version=1%2E2#consent',
  'https://[2001:db8::1]/terms',
  'https://xn--bcher-kva.example/b%C3%BCcher',
  `https://example.org/${'a'.repeat(2_048 - 20)}`,
];

const UNENCODED = 'contains characters that must be encoded: in the host as Punycode (xn--), elsewhere as %XX';

const rejected: [address: string, why: string][] = [
  [`https://example.org/${'a'.repeat(2_048 - 19)}`, 'is longer than 2048 characters'],
  ['https://user:secret@example.org/', 'contains credentials'],
  ['https://@example.org/', 'contains credentials'],
  ['', 'is not an https URL'],
  ['http://example.org/', 'is not an https URL'],
  ['ftp://example.org/', 'is not an https URL'],
  ['javascript:alert(1)', 'is not an https URL'],
  ['//example.org/', 'is not an https URL'],
  ['https:example.org', 'is not an https URL'],
  ['https:///example.org', 'is not an https URL'],
  ['https://', 'is not an https URL'],
  ['https://example.org/a b', UNENCODED],
  ['https://exa\nmple.org/', UNENCODED],
  [' https://example.org/', 'is not an https URL'],
  ['https://example.org\\@evil.example/', UNENCODED],
  ['https://bücher.example/', UNENCODED],
  ['https://example.org/bücher', UNENCODED],
  ['ftp://bücher.example/', 'is not an https URL'],
  ['https://example.org/%zz', UNENCODED],
  ['https://example.org/\0', UNENCODED],
  ['https://example.org:99999/', 'is not an https URL'],
];

describe('A web address in a URI field', () => {
  it.each(accepted)('is accepted in production: %s', (address) => {
    expect(webAddressViolation(address, { production: true })).toBeUndefined();
  });

  it.each(rejected)('is rejected in production: %j %s', (address, why) => {
    expect(webAddressViolation(address, { production: true })).toBe(why);
  });

  it('may be an http address outside production only', () => {
    expect(webAddressViolation('http://localhost:4002/back', { production: false })).toBeUndefined();
    expect(webAddressViolation('ftp://localhost/', { production: false })).toBe('is not an https or http URL');
    expect(webAddressViolation('http://user@localhost/', { production: false })).toBe('contains credentials');
  });
});
