import { randomBytes } from 'node:crypto';
import { blindIndexes } from '../../../subgraphs/identity/records/blind-index';
import { personalDataCipher } from '../../../subgraphs/identity/records/personal-data-cipher';
import type { PersonalData } from '../../../subgraphs/identity/records/identity-record';

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

describe('Personal data', () => {
  const cipher = personalDataCipher(randomBytes(32));

  it('are decrypted as they were encrypted, including instants', () => {
    expect(cipher.open('record-1', cipher.encryptValue('record-1', personal))).toStrictEqual(personal);
    const least = { ...personal, principalVerification: null, email: null };
    expect(cipher.open('record-1', cipher.encryptValue('record-1', least))).toStrictEqual(least);
  });

  it('are decrypted only for their own record and only with their own key', () => {
    const one = cipher.encryptValue('record-1', personal);
    const other = cipher.encryptValue('record-2', personal);
    expect(() => cipher.open('record-2', one)).toThrow('unable to authenticate');
    expect(() => cipher.open('record-1', { ...one, wrappedKey: other.wrappedKey })).toThrow('unable to authenticate');
    expect(() => cipher.open('record-1', { ...one, sealed: other.sealed })).toThrow('unable to authenticate');
    expect(() => personalDataCipher(randomBytes(32)).open('record-1', one)).toThrow('unable to authenticate');
  });

  it('have a different ciphertext every time', () => {
    const [one, again] = [cipher.encryptValue('record-1', personal), cipher.encryptValue('record-1', personal)];
    expect(one.sealed.equals(again.sealed)).toBe(false);
    expect(one.wrappedKey.equals(again.wrappedKey)).toBe(false);
  });

  it('never have an initialisation vector twice', () => {
    const vectorOf = (encrypted: Buffer) => encrypted.subarray(1, 13).toString('hex');
    const values = Array.from({ length: 20 }, () => cipher.encryptValue('record-1', personal));
    const vectors = values.flatMap(({ sealed, wrappedKey }) => [vectorOf(sealed), vectorOf(wrappedKey)]);
    expect(new Set(vectors).size).toBe(40);
  });
});

describe('Blind indexes', () => {
  const key = randomBytes(32);
  const { mpxn, email, meterPointId } = blindIndexes(key);

  it('are equal for equal values, under the same key only', () => {
    expect(mpxn('AB12345678')).toEqual(blindIndexes(key).mpxn('AB12345678'));
    expect(mpxn('AB12345678')).not.toEqual(mpxn('AB12345679'));
    expect(mpxn('AB12345678')).not.toEqual(blindIndexes(randomBytes(32)).mpxn('AB12345678'));
    expect(email(' Ada@Example.org ')).toEqual(email('ada@example.org'));
  });

  it('have different hashes of a meter point in different indexes', () => {
    expect(Buffer.from(meterPointId('AB12345678'), 'base64url')).not.toEqual(mpxn('AB12345678'));
  });
});
