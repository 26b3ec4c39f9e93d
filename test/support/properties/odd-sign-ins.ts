import fc from 'fast-check';
import { HOSTILE } from './contract-violations';
import { type Oddity, visible, withHeaders } from './oddity';

const authorizations = fc
  .oneof(
    fc.constantFrom(
      '',
      'Bearer',
      'Bearer ',
      'Bearer  ',
      'Basic',
      'Basic ====',
      'Basic 4711',
      'Basic Og==',
      'Basic /w==',
      `Bearer ${HOSTILE}`,
      'Digest x',
      '{}',
    ),
    fc.constantFrom(
      'Bearer a.b.c',
      `Bearer ${'a'.repeat(8_000)}`,
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      'bearer\tx',
      'Bearer x y',
    ),
    fc.string({ maxLength: 40 }).map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
    visible,
  )
  .map((authorization): Oddity => (request) => ({ ...withHeaders({ authorization })(request), isSignedIn: false }));

/** Values of the second kind of credential, which only Interface D reads. */
const supplierKeys = fc
  .oneof(fc.constantFrom('', 'x', `sk_${'A'.repeat(43)}`, HOSTILE), visible)
  .map((key): Oddity => (request) => ({
    ...withHeaders({ 'x-supplier-api-key': key })(request),
    isSignedIn: false,
  }));

/** Invalid credentials. */
export const signIns: fc.Arbitrary<Oddity> = fc.oneof(authorizations, supplierKeys);
