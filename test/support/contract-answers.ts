import Ajv2020 from 'ajv/dist/2020';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { type OpenApiDocument, loadContract } from '../../rest-adapter/contract';
import { INTERFACES } from '../../rest-adapter/interfaces';

/** What the OpenAPI document says of one answer of one operation. */
export interface DocumentedAnswer {
  readonly requiredHeaders: readonly string[];
  /** Everything in a body that does not fit; a body where none is promised does not, and one of another media type neither. */
  faults(body: unknown, contentType: string | null): string[];
}

/** The answers that the OpenAPI documents promise. */
export interface ContractAnswers {
  /** Operation of a request, if a document has it. */
  operationOf(method: string, path: string): string | undefined;
  answer(operationId: string, status: number): DocumentedAnswer | undefined;
  /** `operationId status` of every documented answer. */
  readonly all: readonly string[];
}

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, unknown>;
}

/** Reads the contracts anew, apart from the adapter's own joining. */
export function contractAnswers(): ContractAnswers {
  const contracts = INTERFACES.map(loadContract);
  const answers = new Map(contracts.flatMap(({ document }) => [...answersOf(document)]));
  const operations = contracts.flatMap((contract) => [...contract.operations, ...contract.uploads]);
  const patterns = operations.map(({ operationId, method, path }) => {
    const pattern = new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`);
    return { operationId, method, pattern, isLiteral: !path.includes('{') };
  });
  return {
    operationOf(asked, path) {
      const matching = patterns.filter(({ pattern }) => pattern.test(path));
      const isKnown = matching.some(({ isLiteral }) => isLiteral); // a path is looked up before its method
      return matching.find(({ method, isLiteral }) => method === asked && isLiteral === isKnown)?.operationId;
    },
    answer: (operationId, status) => answers.get(`${operationId} ${status}`),
    all: [...answers.keys()],
  };
}

function answersOf(document: OpenApiDocument): Map<string, DocumentedAnswer> {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addFormat('mpxn', true);
  ajv.addFormat('decimal', { type: 'number', validate: () => true });
  ajv.addSchema(document, 'contract');
  const resolve = (part: unknown): Record<string, unknown> => {
    const reference = (part as { $ref?: string }).$ref;
    if (reference === undefined) return part as Record<string, unknown>;
    return reference
      .split('/')
      .slice(1)
      .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as never;
  };
  const answers = new Map<string, DocumentedAnswer>();
  for (const item of Object.values(document.paths)) {
    for (const { operationId, responses } of (Object.values(item) as Operation[]).filter((each) => each.operationId)) {
      for (const [status, response] of Object.entries(responses))
        answers.set(`${operationId} ${status}`, documented(ajv, resolve(response), resolve));
    }
  }
  return answers;
}

function documented(
  ajv: Ajv2020,
  response: Record<string, unknown>,
  resolve: (part: unknown) => Record<string, unknown>,
): DocumentedAnswer {
  const { headers = {}, content } = response as {
    headers?: object;
    content?: Record<string, { schema?: { $ref: string } }>;
  };
  const validators = new Map<string, ValidateFunction>();
  return {
    requiredHeaders: Object.entries(headers)
      .filter(([, header]) => resolve(header)['required'] === true)
      .map(([name]) => name),
    faults(body, contentType) {
      const [mediaType = ''] = contentType?.split(';') ?? [];
      if (content === undefined) return body === undefined ? [] : ['has a body, and none is promised'];
      if (!(mediaType in content)) return [`has a body of the type ${mediaType}, which is not promised`];
      const reference = content[mediaType]?.schema?.$ref;
      if (reference === undefined) return [];
      const validate = validators.get(reference) ?? ajv.compile({ $ref: reference.replace('#', 'contract#') });
      validators.set(reference, validate);
      return validate(body)
        ? []
        : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
    },
  };
}
