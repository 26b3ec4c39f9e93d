import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
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
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    ajv.addFormat('mpxn', true);
    const { components } = servedDocument(reference, profile);
    for (const schema of ['Mpxn', 'EventMpxn']) {
      const isValid = ajv.compile({ $ref: `#/components/schemas/${schema}`, components });
      expect(isValid('1012345678901')).toBe(isAccepted);
      expect(isValid('991234567890')).toBe(true);
      expect(isValid('a meter point')).toBe(false);
    }
    expect(ajv.validate({ $ref: '#/components/schemas/EventMpxn', components }, null)).toBe(true);
  });
});
