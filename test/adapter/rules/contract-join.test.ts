import { buildSchema } from 'graphql';
import { compile } from '../../../rest-adapter/compile';
import { readContract } from '../../../rest-adapter/contract';
import { INTERFACE_A } from '../../../rest-adapter/interfaces';
import { operationDocument } from '../../../rest-adapter/operation-documents';
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

/** The answer of the contract above, taken away. */
const WITHOUT_BODY: [string, string] = [CONTRACT.slice(CONTRACT.indexOf("        '200'")), "        '204': {}\n"];

/** The answer's properties are those of the record itself, which may be null. */
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

/** Compiles the small register above, with one text of it replaced. */
async function compiled({ contract, graph, operation, row = ROW }: Planted) {
  const planted = (text: string, change: [string, string] = ['', '']) => {
    expect(text).toContain(change[0]);
    return text.replace(...change);
  };
  return compile({
    contracts: [readContract(planted(CONTRACT, contract), INTERFACE_A)],
    documents: new Map([['replaceRecord', operationDocument(planted(OPERATION, operation))]]),
    rows: { replaceRecord: row },
    schema: buildSchema(planted(GRAPH, graph)),
  });
}

describe('the compiler of the contract', () => {
  it('finds no problem where contract, operation, route table and graph fit', async () => {
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
      'a selected field that the contract does not know',
      { operation: ['recipients', 'recipients why'] },
      ['/access-record: selected field why is not in the contract'],
    ],
    [
      'a required property that the graph may leave null',
      { graph: ['registeredAt: String!', 'registeredAt: String'] },
      ['/access-record/registered-at: required and not nullable, but AccessRecord.registeredAt is nullable'],
    ],
    [
      'an answer that may be null without being 404',
      { graph: ['AccessRecord!', 'AccessRecord'] },
      ['/access-record: required and not nullable, but Mutation.replaceAccessRecord is nullable'],
    ],
    [
      'items that the graph may leave null',
      { graph: ['[String!] why', '[String] why'] },
      ['/access-record/recipients: its items are not nullable, but those of the graph are'],
    ],
    [
      'a number where the contract has a text',
      { graph: ['registeredAt: String!', 'registeredAt: Int!'] },
      ['/access-record/registered-at: string in the contract, but Int in the graph'],
    ],
    [
      'two names of the wire that are one in the graph',
      {
        contract: [
          'addressLine1: { type: string }',
          'addressLine1: { type: string }\n                address-line1: { type: string }',
        ],
      },
      ['/address-line1: another name of the contract is addressLine1 in the graph, too'],
    ],
    [
      'an input that the contract cannot supply',
      { graph: ['addressLine1: String', 'addressLine1: String county: String'] },
      ['the contract cannot supply RecordInput.county'],
    ],
    [
      'an input that the graph does not take',
      { graph: ['addressLine1: String', ''] },
      ['/addressLine1: in the contract, but RecordInput has no addressLine1'],
    ],
    [
      'an input that the graph requires and the contract does not',
      { graph: ['addressLine1: String', 'addressLine1: String!'] },
      ['/addressLine1: optional, but RecordInput.addressLine1 is required'],
    ],
    [
      'a null that the graph does not take',
      { graph: ['expiry: String }', 'expiry: String! = "" }'] },
      ['/expiry: nullable, but String! is not'],
    ],
    [
      'a parameter that feeds nothing',
      { row: { etag: 'accessRecord.version' } },
      ['the header parameter If-Match feeds no variable $ifMatch', 'nothing feeds the variable $ifVersions'],
    ],
    [
      'a header that is documented but not filled',
      { row: { ifMatch: 'ifVersions' } },
      [
        '/access-record: selected field version is not in the contract',
        'the header ETag is either documented or filled, not both',
      ],
    ],
    [
      'a row that reads what is not selected',
      { row: { ...ROW, nullIs404: 'record' } },
      ['the row reads record, which is not selected'],
    ],
    [
      'an answer without a body that may stand for nothing',
      { contract: WITHOUT_BODY, graph: ['AccessRecord!', 'AccessRecord'], row: { ifMatch: 'ifVersions' } },
      ['the answer has no body, but accessRecord is nullable'],
    ],
    [
      'a row that names what an answer without a body cannot tell',
      { contract: WITHOUT_BODY, row: { ifMatch: 'ifVersions', spread: 'accessRecord', echo: ['ak'] } },
      ['the row names accessRecord, but the answer has no body', 'the row names ak, but the answer has no body'],
    ],
    [
      'a spread that may be null without being 404',
      { ...SPREAD, row: { ...ROW, spread: 'accessRecord' } },
      ['the row spreads accessRecord, but accessRecord is nullable'],
    ],
    [
      'an operation of another name',
      { operation: ['ReplaceRecord', 'Replace'] },
      ['its operation is not named ReplaceRecord'],
    ],
  ])('finds %s', async (_, planted, problems) => {
    const told = (await compiled(planted)).problems.map((problem) => problem.replace(/^replaceRecord: (?:: )?/, ''));
    expect(told.toSorted()).toEqual([...problems].toSorted());
  });

  it('takes an answer without a body, and one that is spread or else 404', async () => {
    expect((await compiled({ contract: WITHOUT_BODY, row: { ifMatch: 'ifVersions' } })).problems).toEqual([]);
    const row = { ...ROW, spread: 'accessRecord', nullIs404: 'accessRecord' };
    expect((await compiled({ ...SPREAD, row })).problems).toEqual([]);
  });

  it('takes a status for what is new and one for a repeat, told apart by the data', async () => {
    const created = `        '201':\n${CONTRACT.slice(CONTRACT.indexOf('          headers: { ETag'))}`;
    const contract: [string, string] = ["      responses:\n        '200'", `      responses:\n${created}        '200'`];
    const graph: [string, string] = ['version: Int!', 'version: Int! isNew: Boolean!'];
    const operation: [string, string] = ['version legal', 'version isNew legal'];
    const row = { ...ROW, isNew: 'accessRecord.isNew' };
    const { problems, operations } = await compiled({ contract, graph, operation, row });
    expect([problems, operations[0]?.contract]).toMatchObject([[], { status: 201, statusUnlessNew: 200 }]);
    const isNew = (told: boolean) => operations[0]?.isNew({ accessRecord: { isNew: told } });
    expect([isNew(true), isNew(false)]).toEqual([true, false]);
    expect((await compiled({ contract })).problems).toContain(
      'replaceRecord: what is new has a status of its own exactly when the row reads whether it is',
    );
    expect((await compiled({ graph, operation, row })).problems).toContain(
      'replaceRecord: what is new has a status of its own exactly when the row reads whether it is',
    );
  });

  it('refuses two good answers that say different things', async () => {
    const other = "      responses:\n        '202': {}\n        '200'";
    await expect(compiled({ contract: ["      responses:\n        '200'", other] })).rejects.toThrow(
      'differ in more than status',
    );
  });

  describe('of an answer in variants', () => {
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
    const answered = async (accessRecord: object) =>
      (await compiled({ contract, graph })).operations[0]?.answer?.({ accessRecord }, metadata, {})['access-record'];

    it('takes for nullable in the graph what one of them has as null', async () => {
      expect((await compiled({ contract, graph })).problems).toEqual([]);
      expect((await compiled({ graph })).problems).toHaveLength(2);
    });

    it('writes null where one of them has it, and leaves out what no variant requires', async () => {
      const whole = { legalBasis: 'UK_CONTRACT', registeredAt: 'then', expiry: null, recipients: ['one'] };
      expect(await answered(whole)).toEqual({
        'legal-basis': 'uk-contract',
        'registered-at': 'then',
        expiry: null,
        recipients: ['one'],
      });
      const nothing = { legalBasis: null, registeredAt: null, expiry: null, recipients: null };
      expect(await answered(nothing)).toEqual({ 'legal-basis': null, 'registered-at': null, expiry: null });
    });

    it('refuses variants of different types', async () => {
      const other: [string, string] = [
        contract[0],
        contract[1].replace(sparse.slice(1), '                      - type: string\n'),
      ];
      await expect(compiled({ contract: other, graph })).rejects.toThrow('object and string');
    });
  });

  it('finds documents and rows that no operation of the contract has', async () => {
    const contract = readContract('openapi: 3.1.0\npaths: {}', INTERFACE_A);
    const documents = new Map([['replaceRecord', operationDocument(OPERATION)]]);
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

  it('refuses documents of several operations or with fragments', () => {
    expect(() => operationDocument('query A { none } query B { none }')).toThrow('exactly one operation');
  });
});
