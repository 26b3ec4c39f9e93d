import { execFileSync } from 'node:child_process';
import type { OpenApiDocument } from '../../rest-adapter/contract/contract';
import { loadContract } from '../../rest-adapter/contract/contract';
import { INTERFACES } from '../../rest-adapter/contract/interfaces';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { exampleFaults } from '../support/contract-examples';

type Part = Readonly<Record<string, unknown>>;

interface Operation extends Part {
  readonly operationId: string;
  readonly parameters?: readonly Part[];
  readonly responses: Readonly<Record<string, Part>>;
  readonly tags?: readonly string[];
}

const contracts = INTERFACES.map(loadContract);
const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);

function operationsOf({ paths, webhooks = {} }: OpenApiDocument & { webhooks?: Part }): Operation[] {
  const items = [...Object.values(paths), ...Object.values(webhooks)] as Record<string, Operation>[];
  return items.flatMap((item) => Object.entries(item).flatMap(([name, each]) => (METHODS.has(name) ? [each] : [])));
}

it('operation ids are unique across all documents', () => {
  const ids = contracts.flatMap(({ document }) => operationsOf(document).map(({ operationId }) => operationId));
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

describe.each(contracts.map((contract) => [contract.restInterface.name, contract] as const))(
  'The document of %s',
  (_, contract) => {
    const { document, restInterface } = contract;
    const operations = operationsOf(document);
    const components = document['components'] as Readonly<Record<string, Readonly<Record<string, Part>>>>;
    const resolved = (part: unknown): Part => {
      const { $ref } = part as { $ref?: string };
      if ($ref === undefined) return part as Part;
      const steps = $ref.split('/').slice(1);
      return resolved(steps.reduce<unknown>((at, step) => (at as Part)[step], document));
    };
    const isDescribed = (part: unknown) =>
      [part, resolved(part), resolved(resolved(part)['schema'] ?? {})].some((each) => (each as Part)['description']);

    it('is valid against the meta-schema of OpenAPI 3.1', () => {
      const validator = 'node_modules/@seriousme/openapi-schema-validator/bin/validate-api-cli.js';
      const output = execFileSync(process.execPath, [validator, `schema/openapi/${restInterface.contract}.yaml`], {
        cwd: REPOSITORY_ROOT,
        encoding: 'utf8',
      });
      expect([JSON.parse(output), document['openapi']]).toEqual([{ valid: true }, '3.1.0']);
    });

    it('states both headers that can make a change 412, for every change with this status', () => {
      const changes = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap((item) =>
        ['put', 'patch', 'delete'].flatMap((method) => item[method] ?? []),
      );
      const described = changes.flatMap(({ operationId, responses: { 412: response } }) =>
        response === undefined ? [] : [[operationId, resolved(response)['description']] as const],
      );
      const headers = ['`If-Match`', '`If-None-Match`'];
      expect(described.filter(([, text]) => !headers.every((header) => String(text).includes(header)))).toEqual([]);
    });

    it('has a summary, a description and a tag for every operation', () => {
      const tags = (document['tags'] as { name: string; description?: string }[]).map(({ name, description }) => {
        expect(description).toBeTruthy();
        return name;
      });
      const missing = operations.flatMap(({ operationId, summary, description, tags: its = [] }) => [
        ...(typeof summary === 'string' && summary !== '' ? [] : [`${operationId}: no summary`]),
        ...(typeof description === 'string' && description !== '' ? [] : [`${operationId}: no description`]),
        ...(its.length === 1 && its.every((tag) => tags.includes(tag)) ? [] : [`${operationId}: no tag`]),
      ]);
      expect(missing).toEqual([]);
      expect(tags.filter((tag) => !operations.some(({ tags: its }) => its?.includes(tag)))).toEqual([]);
    });

    it('describes every parameter, response and header, and every field of objects', () => {
      const parameters = operations.flatMap(({ operationId, parameters: its = [] }) =>
        its.filter((each) => !isDescribed(each)).map((each) => `${operationId}: ${String(resolved(each)['name'])}`),
      );
      const documented = operations.flatMap(({ operationId, responses }) =>
        Object.entries(responses).flatMap(([status, response]) => {
          const { headers = {} } = resolved(response) as { headers?: Part };
          const undescribed = Object.entries(headers).filter(([, header]) => !isDescribed(header));
          return [
            ...(isDescribed(response) ? [] : [`${operationId} ${status}`]),
            ...undescribed.map(([name]) => `${operationId} ${status}: ${name}`),
          ];
        }),
      );
      expect([...parameters, ...documented, ...undescribedFields(components['schemas'], '')]).toEqual([]);
    });

    /** Returns the undescribed fields at any depth; the parts of `allOf` describe themselves. */
    function undescribedFields(part: unknown, at: string): string[] {
      if (typeof part !== 'object' || part === null) return [];
      const { type, properties = {} } = part as { type?: unknown; properties?: Part };
      const fields =
        [type].flat().includes('object') && at !== '' && !at.includes('/allOf/') ? Object.entries(properties) : [];
      const undescribed = fields.filter(([, field]) => !isDescribed(field)).map(([name]) => `${at}: ${name}`);
      return [
        ...undescribed,
        ...Object.entries(part).flatMap(([name, each]) => undescribedFields(each, `${at}/${name}`)),
      ];
    }

    it('has no pattern with an assertion or back-reference, which RE2 and other linear-time engines cannot compile', () => {
      const patterns = [...JSON.stringify(document).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
        ([, text = '""']) => JSON.parse(text) as string,
      );
      expect(patterns.length).toBeGreaterThan(0);
      expect(patterns.filter((pattern) => /\(\?<?[=!]|\\[1-9]/.test(pattern))).toEqual([]);
    });

    it('has no unused component', () => {
      const text = JSON.stringify(document);
      const unused = Object.entries(components).flatMap(([kind, its]) =>
        Object.keys(its).filter((name) =>
          kind === 'securitySchemes' ? !text.includes(`"${name}":[`) : !text.includes(`"#/components/${kind}/${name}"`),
        ),
      );
      expect(unused.filter((name) => !OF_NO_OPERATION.includes(name))).toEqual([]);
    });

    it('has an example for every body, and every example is valid', () => {
      expect(exampleFaults(document)).toEqual([]);
    });

    it('has the transaction-id in every response, Retry-After and RateLimit in 429, and the challenge in 401', () => {
      const missing = operationsOf({ ...document, webhooks: {} }).flatMap(({ operationId, responses }) =>
        Object.entries(responses).flatMap(([status, response]) => {
          const { headers = {} } = resolved(response) as { headers?: Part };
          const demanded = ['transaction-id', ...(DEMANDED[status] ?? [])];
          return demanded.filter((name) => !(name in headers)).map((name) => `${operationId} ${status}: ${name}`);
        }),
      );
      expect(missing).toEqual([]);
    });

    it('has the responses for paths and methods without an operation', () => {
      for (const name of OF_NO_OPERATION) expect(Object.keys(components['responses'] ?? {})).toContain(name);
    });
  },
);

/** Responses to unmatched requests under the paths of a document. */
const OF_NO_OPERATION = ['MethodNotAllowed', 'NotFound'];

const DEMANDED: Readonly<Record<string, readonly string[]>> = {
  '401': ['WWW-Authenticate'],
  '429': ['Retry-After', 'RateLimit'],
  '503': ['Retry-After'],
};
