import { randomBytes } from 'node:crypto';
import { blindIndexes } from '../../../subgraphs/identity/database/blind-index';
import { personalDataVault } from '../../../subgraphs/identity/database/personal-data-vault';
import type { PersonalData } from '../../../subgraphs/identity/domain/identity-record';

const personal: PersonalData = {
  piiPrincipal: { mpxn: 'AB12345678', moveInDate: '2024-02-29', address: null },
  principalVerification: {
    method: 'passport reading',
    verifiedAt: new Date('2026-01-02T03:04:05.678Z'),
    outcome: 'partial',
    reference: null,
    submitted: 'passport-scan',
    verifiedAgainst: null,
    detail: { scores: [1, null] },
  },
  email: 'ada@example.org',
};

describe('Personal data in the vault', () => {
  const vault = personalDataVault(randomBytes(32));

  it('opens as it was sealed, instants included', () => {
    expect(vault.open('record-1', vault.seal('record-1', personal))).toStrictEqual(personal);
    const least = { ...personal, principalVerification: null, email: null };
    expect(vault.open('record-1', vault.seal('record-1', least))).toStrictEqual(least);
  });

  it('opens for its own record only, with its own key only', () => {
    const one = vault.seal('record-1', personal);
    const other = vault.seal('record-2', personal);
    expect(() => vault.open('record-2', one)).toThrow('unable to authenticate');
    expect(() => vault.open('record-1', { ...one, wrappedKey: other.wrappedKey })).toThrow('unable to authenticate');
    expect(() => vault.open('record-1', { ...one, sealed: other.sealed })).toThrow('unable to authenticate');
    expect(() => personalDataVault(randomBytes(32)).open('record-1', one)).toThrow('unable to authenticate');
  });

  it('never looks the same twice', () => {
    const [one, again] = [vault.seal('record-1', personal), vault.seal('record-1', personal)];
    expect(one.sealed.equals(again.sealed)).toBe(false);
    expect(one.wrappedKey.equals(again.wrappedKey)).toBe(false);
  });
});

describe('The blind indexes', () => {
  const key = randomBytes(32);
  const { mpxn, email, meterPointId } = blindIndexes(key);

  it('find a value again, under the same key only', () => {
    expect(mpxn('AB12345678')).toEqual(blindIndexes(key).mpxn('AB12345678'));
    expect(mpxn('AB12345678')).not.toEqual(mpxn('AB12345679'));
    expect(mpxn('AB12345678')).not.toEqual(blindIndexes(randomBytes(32)).mpxn('AB12345678'));
    expect(email(' Ada@Example.org ')).toEqual(email('ada@example.org'));
  });

  it('do not give a meter point the same hash in two places', () => {
    expect(Buffer.from(meterPointId('AB12345678'), 'base64url')).not.toEqual(mpxn('AB12345678'));
  });
});
