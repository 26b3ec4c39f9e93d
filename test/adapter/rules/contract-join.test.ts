import { buildSchema, parse } from 'graphql';
import { load } from 'js-yaml';
import { compile } from '../../../rest-adapter/contract/compile';
import { type OpenApiDocument, readContract } from '../../../rest-adapter/contract/contract';
import { INTERFACE_A } from '../../../rest-adapter/contract/interfaces';
import { operationsOf } from '../../../schema/operation-documents';
import type { RouteRow } from '../../../rest-adapter/route-table';

const CONTRACT = `
openapi: 3.1.0
paths:
  /access-records/{ak}:
    put:
      operationId: replaceRecord
      security: [{}]
      parameters:
        - { name: ak, in: path, required: true, schema: { type: string } }
        - { name: If-Match, in: header, schema: { type: string } }
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [legal-basis]
              properties:
                legal-basis: { type: string, enum: [uk-consent, uk-contract] }
                addressLine1: { type: string }
                expiry: { type: [string, 'null'] }
      responses:
        '200':
          headers: { ETag: {} }
          content:
            application/json:
              schema:
                type: object
                required: [response, access-record]
                properties:
                  response: { type: object }
                  access-record:
                    type: object
                    required: [legal-basis, registered-at, expiry]
                    properties:
                      legal-basis: { type: string, enum: [uk-consent, uk-contract] }
                      registered-at: { type: string }
                      expiry: { type: [string, 'null'] }
                      recipients: { type: array, items: { type: string } }
`;

const GRAPH = `
type Query { none: Int }
type Mutation { replaceAccessRecord(key: String!, input: RecordInput!, ifVersions: [Int!]): AccessRecord! }
enum LegalBasis { UK_CONSENT UK_CONTRACT }
input RecordInput { legalBasis: LegalBasis! addressLine1: String expiry: String }
type AccessRecord { version: Int! legalBasis: LegalBasis! registeredAt: String! expiry: String recipients: [String!] why: String }
`;

const OPERATION = `
mutation ReplaceRecord($ak: String!, $input: RecordInput!, $ifVersions: [Int!]) {
  accessRecord: replaceAccessRecord(key: $ak, input: $input, ifVersions: $ifVersions) {
    version legalBasis registeredAt expiry recipients
  }
}
`;

const ROW: RouteRow = { etag: 'accessRecord.version', ifMatch: 'ifVersions' };

/** The contract with a response without a body. */
const WITHOUT_BODY: [string, string] = [CONTRACT.slice(CONTRACT.indexOf("        '200'")), "        '204': {}\n"];

/** The response body has the properties of the record, which may be null. */
const SPREAD: Planted = {
  contract: [
    CONTRACT.slice(CONTRACT.indexOf('                required: [response, access-record]')),
    `                required: [legal-basis, registered-at, expiry]
                properties:
                  legal-basis: { type: string, enum: [uk-consent, uk-contract] }
                  registered-at: { type: string }
                  expiry: { type: [string, 'null'] }
                  recipients: { type: array, items: { type: string } }
`,
  ],
  graph: ['AccessRecord!', 'AccessRecord'],
};

interface Planted {
  contract?: [string, string];
  graph?: [string, string];
  operation?: [string, string];
  row?: RouteRow;
}

/** Compiles the contract with one text replaced. */
async function compiled({ contract, graph, operation, row = ROW }: Planted) {
  const planted = (text: string, change: [string, string] = ['', '']) => {
    expect(text).toContain(change[0]);
    return text.replace(...change);
  };
  return compile({
    contracts: [readContract(load(planted(CONTRACT, contract)) as OpenApiDocument, INTERFACE_A)],
    documents: operationsOf(new Map([['replaceRecord', parse(planted(OPERATION, operation))]])),
    rows: { replaceRecord: row },
    schema: buildSchema(planted(GRAPH, graph)),
  });
}

describe('the compiler of the contract', () => {
  it('finds no problem if contract, operation, route table and graph agree', async () => {
    expect((await compiled({})).problems).toEqual([]);
  });

  it.each<[string, Planted, string[]]>([
    [
      'an enum value that the graph spells differently',
      { graph: ['UK_CONTRACT', 'UK_CONTRACTS'] },
      [
        '/legal-basis: no enum value UK_CONTRACT in LegalBasis',
        '/legal-basis: LegalBasis.UK_CONTRACTS is not in the contract',
        '/access-record/legal-basis: no enum value UK_CONTRACT in LegalBasis',
        '/access-record/legal-basis: LegalBasis.UK_CONTRACTS is not in the contract',
      ],
    ],
    [
      'a property that is not selected',
      { operation: [' expiry', ''] },
      ['/access-record/expiry: in the contract, not selected'],
    ],
    [
      'a selected field that is not in the contract',
      { operation: ['recipients', 'recipients why'] },
      ['/access-record: selected field why is not in the contract'],
    ],
    [
      'a required property that is nullable in the graph',
      { graph: ['registeredAt: String!', 'registeredAt: String'] },
      ['/access-record/registered-at: required and not nullable, but AccessRecord.registeredAt is nullable'],
    ],
    [
      'a nullable response that is not mapped to 404',
      { graph: ['AccessRecord!', 'AccessRecord'] },
      ['/access-record: required and not nullable, but Mutation.replaceAccessRecord is nullable'],
    ],
    [
      'items that are nullable in the graph',
      { graph: ['[String!] why', '[String] why'] },
      ['/access-record/recipients: its items are not nullable, but those of the graph are'],
    ],
    [
      'a string in the contract that is a number in the graph',
      { graph: ['registeredAt: String!', 'registeredAt: Int!'] },
      ['/access-record/registered-at: string in the contract, but Int in the graph'],
    ],
    [
      'two wire names with the same name in the graph',
      {
        contract: [
          'addressLine1: { type: string }',
          'addressLine1: { type: string }\n                address-line1: { type: string }',
        ],
      },
      ['/address-line1: another property of the contract also maps to addressLine1'],
    ],
    [
      'an input that the contract cannot supply',
      { graph: ['addressLine1: String', 'addressLine1: String county: String'] },
      ['the contract cannot supply RecordInput.county'],
    ],
    [
      'an input that the graph does not have',
      { graph: ['addressLine1: String', ''] },
      ['/addressLine1: in the contract, but RecordInput has no addressLine1'],
    ],
    [
      'an input that is required in the graph and optional in the contract',
      { graph: ['addressLine1: String', 'addressLine1: String!'] },
      ['/addressLine1: optional, but RecordInput.addressLine1 is required'],
    ],
    [
      'a nullable input that is not nullable in the graph',
      { graph: ['expiry: String }', 'expiry: String! = "" }'] },
      ['/expiry: nullable, but String! is not'],
    ],
    [
      'a parameter without a variable',
      { row: { etag: 'accessRecord.version' } },
      ['the header parameter If-Match sets no variable $ifMatch', 'nothing sets the variable $ifVersions'],
    ],
    [
      'a header that is documented but not filled',
      { row: { ifMatch: 'ifVersions' } },
      [
        '/access-record: selected field version is not in the contract',
        'the header ETag must be both in the contract and in the row, or in neither',
      ],
    ],
    [
      'a row that reads an unselected field',
      { row: { ...ROW, nullIs404: 'record' } },
      ['the row reads record, which is not selected'],
    ],
    [
      'a response without a body whose result is nullable',
      { contract: WITHOUT_BODY, graph: ['AccessRecord!', 'AccessRecord'], row: { ifMatch: 'ifVersions' } },
      ['the response has no body, but accessRecord is nullable'],
    ],
    [
      'a row with fields for a response without a body',
      { contract: WITHOUT_BODY, row: { ifMatch: 'ifVersions', spread: 'accessRecord', echo: ['ak'] } },
      ['the row names accessRecord, but the response has no body', 'the row names ak, but the response has no body'],
    ],
    [
      'a nullable spread that is not mapped to 404',
      { ...SPREAD, row: { ...ROW, spread: 'accessRecord' } },
      ['the row spreads accessRecord, but accessRecord is nullable'],
    ],
    [
      'an operation with another name',
      { operation: ['ReplaceRecord', 'Replace'] },
      ['its operation is not named ReplaceRecord'],
    ],
  ])('finds %s', async (_, planted, problems) => {
    const found = (await compiled(planted)).problems.map((problem) => problem.replace(/^replaceRecord: (?:: )?/, ''));
    expect(found.toSorted()).toEqual([...problems].toSorted());
  });

  it('accepts a response without a body, and a spread that is mapped to 404', async () => {
    expect((await compiled({ contract: WITHOUT_BODY, row: { ifMatch: 'ifVersions' } })).problems).toEqual([]);
    const row = { ...ROW, spread: 'accessRecord', nullIs404: 'accessRecord' };
    expect((await compiled({ ...SPREAD, row })).problems).toEqual([]);
  });

  it('accepts one status for a new object and one for a repeat, selected by the data', async () => {
    const created = `        '201':\n${CONTRACT.slice(CONTRACT.indexOf('          headers: { ETag'))}`;
    const contract: [string, string] = ["      responses:\n        '200'", `      responses:\n${created}        '200'`];
    const graph: [string, string] = ['version: Int!', 'version: Int! isNew: Boolean!'];
    const operation: [string, string] = ['version legal', 'version isNew legal'];
    const row = { ...ROW, isNew: 'accessRecord.isNew' };
    const { problems, operations } = await compiled({ contract, graph, operation, row });
    expect([problems, operations[0]?.contract]).toMatchObject([[], { status: 201, statusUnlessNew: 200 }]);
    const isNew = (value: boolean) => operations[0]?.isNew({ accessRecord: { isNew: value } });
    expect([isNew(true), isNew(false)]).toEqual([true, false]);
    expect((await compiled({ contract })).problems).toContain(
      'replaceRecord: the contract must document two success statuses exactly if the row has isNew',
    );
    expect((await compiled({ graph, operation, row })).problems).toContain(
      'replaceRecord: the contract must document two success statuses exactly if the row has isNew',
    );
  });

  it('rejects two success responses with different bodies', async () => {
    const other = "      responses:\n        '202': {}\n        '200'";
    await expect(compiled({ contract: ["      responses:\n        '200'", other] })).rejects.toThrow(
      'differ in more than the status',
    );
  });

  describe('for a response in variants', () => {
    const sparse = `
                      - type: object
                        required: [legal-basis, registered-at, expiry]
                        properties:
                          legal-basis: { type: 'null' }
                          registered-at: { type: 'null' }
                          expiry: { type: 'null' }
`;
    const given = CONTRACT.slice(
      CONTRACT.indexOf('                    type: object\n                    required: [legal-'),
    );
    const indented = given.replaceAll(/^ {20}/gm, ' '.repeat(24)).replace(/^ {24}/, ' '.repeat(22) + '- ');
    const contract: [string, string] = [given, `                    oneOf:\n${indented}${sparse.slice(1)}`];
    const graph: [string, string] = [
      'legalBasis: LegalBasis! registeredAt: String! expiry',
      'legalBasis: LegalBasis registeredAt: String expiry',
    ];
    const metadata = { resource: '', timestamp: '', 'transaction-id': '' };
    const mapped = async (accessRecord: object) =>
      (await compiled({ contract, graph })).operations[0]?.body?.({ accessRecord }, metadata, {})['access-record'];

    it('accepts a nullable field of the graph if one variant has null', async () => {
      expect((await compiled({ contract, graph })).problems).toEqual([]);
      expect((await compiled({ graph })).problems).toHaveLength(2);
    });

    it('writes null if a variant has it, and omits what no variant requires', async () => {
      const whole = { legalBasis: 'UK_CONTRACT', registeredAt: 'then', expiry: null, recipients: ['one'] };
      expect(await mapped(whole)).toEqual({
        'legal-basis': 'uk-contract',
        'registered-at': 'then',
        expiry: null,
        recipients: ['one'],
      });
      const nothing = { legalBasis: null, registeredAt: null, expiry: null, recipients: null };
      expect(await mapped(nothing)).toEqual({ 'legal-basis': null, 'registered-at': null, expiry: null });
    });

    it('rejects variants of different types', async () => {
      const other: [string, string] = [
        contract[0],
        contract[1].replace(sparse.slice(1), '                      - type: string\n'),
      ];
      await expect(compiled({ contract: other, graph })).rejects.toThrow('object and string');
    });
  });

  it('finds documents and rows without an operation of the contract', async () => {
    const contract = readContract({ openapi: '3.1.0', paths: {} }, INTERFACE_A);
    const documents = operationsOf(new Map([['replaceRecord', parse(OPERATION)]]));
    const { problems } = await compile({
      contracts: [contract],
      documents,
      rows: { other: {} },
      schema: buildSchema(GRAPH),
    });
    expect(problems).toEqual([
      'operations/replaceRecord.graphql: not in the contract',
      'route table, other: not in the contract',
    ]);
  });

  it('rejects documents with several operations', () => {
    const documents = new Map([['replaceRecord', parse('query A { none } query B { none }')]]);
    expect(() => operationsOf(documents)).toThrow('must contain one named operation');
  });
});
