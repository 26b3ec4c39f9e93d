import { LEGAL_BASES, mayFollow } from '../../../subgraphs/access/records/access-record';

const isConsent = (basis: string) => ['uk-consent', 'uk-explicit-consent'].includes(basis);

describe('A replacement', () => {
  it('changes the legal basis only within the consent bases or within the others', () => {
    for (const former of LEGAL_BASES)
      for (const basis of LEGAL_BASES)
        expect([former, basis, mayFollow(former, basis)]).toEqual([
          former,
          basis,
          isConsent(former) === isConsent(basis),
        ]);
    expect(mayFollow(null, 'uk-contract')).toBe(false);
  });
});
