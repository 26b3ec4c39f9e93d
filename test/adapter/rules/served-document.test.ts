import { loadContract } from '../../../rest-adapter/contract/contract';
import { INTERFACE_A } from '../../../rest-adapter/contract/interfaces';
import { servedDocument } from '../../../rest-adapter/responses/reference-page';

describe('The served document of Interface A', () => {
  const contract = loadContract(INTERFACE_A);
  const reference = { contract, addresses: { baseUrl: 'https://register.example/v1' }, production: true };

  it.each([
    ['gb', true],
    ['spec', false],
  ] as const)('with the profile %s accepts 13-digit MPANs, also in webhook events: %s', (profile, isAccepted) => {
    const { schemas } = servedDocument(reference, profile)['components'] as {
      schemas: Record<'Mpxn' | 'EventMpxn', { pattern: string }>;
    };
    for (const { pattern } of [schemas.Mpxn, schemas.EventMpxn]) {
      expect(new RegExp(pattern).test('1012345678901')).toBe(isAccepted);
      expect(new RegExp(pattern).test('991234567890')).toBe(true);
    }
  });
});
