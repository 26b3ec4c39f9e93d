import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { OpenApiDocument } from '../../rest-adapter/contract/contract';
import { closedSchemas } from './closed-schemas';

type Part = Readonly<Record<string, unknown>>;

/** Returns the JSON bodies without an example, and the examples that do not match their schema. */
export function exampleFaults(document: OpenApiDocument): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats(ajv);
  ajv.addFormat('mpxn', true);
  ajv.addFormat('decimal', { type: 'number', validate: () => true });
  ajv.addSchema(closedSchemas(document), 'contract');
  return examplesIn(document, document, '').flatMap(({ at, schema, examples, isDemanded }) => {
    if (examples.length === 0) return isDemanded ? [`${at}: no example`] : [];
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')) as object);
    return examples.flatMap((example) =>
      validate(example)
        ? []
        : (validate.errors ?? []).map(
            (error) => `${at}${error.instancePath}: ${error.message} ${JSON.stringify(error.params)}`,
          ),
    );
  });
}

interface Exemplified {
  readonly at: string;
  readonly schema: unknown;
  readonly examples: readonly unknown[];
  /** Whether an example is required: for JSON bodies, not for parameters and headers. */
  readonly isDemanded: boolean;
}

/** Finds everything that has a schema and an example: bodies, parameters, headers. */
function examplesIn(part: unknown, document: OpenApiDocument, at: string): Exemplified[] {
  if (typeof part !== 'object' || part === null) return [];
  const { schema, example, examples = {} } = part as { schema?: unknown; example?: unknown; examples?: Part };
  const named = Object.values(examples).map((each) => (resolved(document, each) as { value: unknown }).value);
  const own: Exemplified[] =
    typeof schema === 'object' && !at.includes('/examples')
      ? [
          {
            at,
            schema,
            examples: [...(example === undefined ? [] : [example]), ...named],
            isDemanded: at.endsWith('/application/json'),
          },
        ]
      : [];
  return [...own, ...Object.entries(part).flatMap(([name, each]) => examplesIn(each, document, `${at}/${name}`))];
}

/** Resolves a reference; returns anything else unchanged. */
function resolved(document: OpenApiDocument, part: unknown): unknown {
  const { $ref } = part as { $ref?: string };
  if ($ref === undefined) return part;
  const steps = $ref.split('/').slice(1);
  return resolved(
    document,
    steps.reduce<unknown>((at, step) => (at as Part)[step], document),
  );
}

/** A request made from the examples of an operation, as the page "Try it out" makes it. */
export interface ExampleRequest {
  readonly operationId: string;
  /** Name of the example, if there are several bodies; empty otherwise. */
  readonly example: string;
  readonly method: string;
  readonly target: string;
  readonly body: unknown;
  readonly tag: string;
  /** Names of the security schemes. */
  readonly security: readonly string[];
}

/**
 * Returns the requests of a document with a given base path: one for each example of a body, one for each operation
 * without a body.
 */
export function exampleRequests(document: OpenApiDocument, basePath: string): ExampleRequest[] {
  const all = document['security'] as readonly Part[];
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const shared = (item['parameters'] ?? []) as readonly Part[];
    const operations = Object.entries(item).filter(([, each]) => (each as Part)['operationId']) as [string, Authored][];
    return operations.flatMap(([method, { operationId, tags, parameters = [], requestBody, security = all }]) => {
      const given = [...shared, ...parameters].map((each) => resolved(document, each) as Parameter);
      const target = targetOf(`${basePath}${path}`, given);
      const signIns = security.flatMap((each) => Object.keys(each));
      const request = { operationId, method: method.toUpperCase(), target, tag: tags[0] ?? '', security: signIns };
      return bodiesOf(document, requestBody).map(([example, body]) => ({ ...request, example, body }));
    });
  });
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

interface Authored {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Part[];
  readonly requestBody?: unknown;
  readonly security?: readonly Part[];
}

function targetOf(path: string, parameters: readonly Parameter[]): string {
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((target, { name, example }) => target.replace(`{${name}}`, String(example)), path);
  const queryParameters = parameters.filter((each) => each.in === 'query' && each.example !== undefined);
  const query = new URLSearchParams(
    queryParameters.map(({ name, example }): [string, string] => [name, String(example)]),
  );
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function bodiesOf(document: OpenApiDocument, requestBody: unknown): (readonly [string, unknown])[] {
  if (requestBody === undefined) return [['', undefined]];
  const { content } = resolved(document, requestBody) as { content: Record<string, Part> };
  const { example, examples = {} } = (content['application/json'] ?? {}) as { example?: unknown; examples?: Part };
  const named = Object.entries(examples).map(
    ([name, each]) => [name, (resolved(document, each) as { value: unknown }).value] as const,
  );
  return example === undefined ? named : [['', example], ...named];
}
