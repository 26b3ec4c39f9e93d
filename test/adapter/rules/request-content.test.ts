import { contentText } from '../../../subgraphs/server/request-content';

const REGISTRATION = {
  expressedBy: 'data-subject',
  piiPrincipal: { mpxn: '1055667788', address: { townCity: 'Exampleford' } },
  principalVerification: { verifiedAt: new Date('2026-01-12T10:00:00Z'), detail: { scores: [1, null] } },
};

describe('The content by which a repeated request is recognised', () => {
  it('is that of the former release if a release adds optional members, which are null then', () => {
    const { piiPrincipal } = REGISTRATION;
    const added = {
      state: null,
      ...REGISTRATION,
      piiPrincipal: { ...piiPrincipal, address: { county: null, ...piiPrincipal.address }, meter: null },
    };
    expect(contentText(added)).toBe(contentText(REGISTRATION));
  });

  it('does not depend on the order of members', () => {
    const reversed = Object.fromEntries(Object.entries(REGISTRATION).toReversed());
    expect(contentText(reversed)).toBe(contentText(REGISTRATION));
  });

  it.each<[string, unknown, unknown]>([
    ['a member with a value', { state: 'x' }, { state: null }],
    ['an empty text or list', { state: '', list: [] }, {}],
    ['null as an entry of a list', { list: [1, null] }, { list: [1] }],
    ['false', { rotateSecret: false }, {}],
    ['the order of a list', ['a', 'b'], ['b', 'a']],
  ])('distinguishes %s', (_, content, other) => {
    expect(contentText(content)).not.toBe(contentText(other));
  });
});
