import { INTERFACE_PLACES, type InterfaceName } from './rest-interfaces';

/** A JSON Schema of the served document, with references resolved. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly readOnly?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

/** A documented response. */
export interface DocumentedResponse {
  /** Undefined if the response has no JSON body, or one without a schema. */
  readonly schema: Schema | undefined;
  /** Media types of its body; empty without a body. */
  readonly mediaTypes: readonly string[];
  readonly headers: Readonly<Record<string, { readonly required?: boolean; readonly schema: Schema }>>;
}

/** An operation, as its document describes it. */
export interface ServedOperation {
  readonly id: string;
  readonly of: InterfaceName;
  readonly method: string;
  /** The complete path template, including the prefix of its document. */
  readonly template: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
  /** Statuses of the success responses. */
  readonly successes: readonly number[];
}

type Json = Readonly<Record<string, unknown>>;

/** Returns the operations of the documents that the register serves, by id. */
export async function servedContract(rest: string): Promise<ReadonlyMap<string, ServedOperation>> {
  const names = Object.keys(INTERFACE_PLACES) as InterfaceName[];
  const all = await Promise.all(names.map((of) => operationsOf(rest, of)));
  return new Map(all.flat().map((operation) => [operation.id, operation]));
}

async function operationsOf(rest: string, of: InterfaceName): Promise<ServedOperation[]> {
  const { document: at, before } = INTERFACE_PLACES[of];
  const document = (await (await fetch(`${rest}${at}`)).json()) as Json;
  const { paths } = resolved(document, document) as { paths: Record<string, Record<string, Authored>> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ['get', 'post', 'put', 'delete', 'patch'].includes(method))
      .map(([method, authored]) => {
        const template = `${before}${path}`;
        return operationOf(of, { template, method }, authored, (item['parameters'] ?? []) as Parameter[]);
      }),
  );
}

interface Authored {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema?: Schema }> };
  readonly responses: Record<
    string,
    {
      readonly headers?: DocumentedResponse['headers'];
      readonly content?: Record<string, { readonly schema?: Schema }>;
    }
  >;
}

function operationOf(
  of: InterfaceName,
  { template, method }: { readonly template: string; readonly method: string },
  authored: Authored,
  shared: readonly Parameter[],
): ServedOperation {
  const responses = Object.entries(authored.responses).map(([status, { headers = {}, content = {} }]) => {
    const schema = content['application/json']?.schema;
    return [Number(status), { headers, schema, mediaTypes: Object.keys(content) }] as const;
  });
  return {
    id: authored.operationId,
    of,
    method: method.toUpperCase(),
    template,
    parameters: [...shared, ...(authored.parameters ?? [])],
    body: authored.requestBody?.content['application/json']?.schema,
    responses: new Map(responses),
    successes: responses.map(([status]) => status).filter((status) => status < 300),
  };
}

function resolved(part: unknown, document: Json): unknown {
  if (Array.isArray(part)) return part.map((item) => resolved(item, document));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref } = part as { $ref?: string };
  if (typeof $ref === 'string') {
    const named = $ref.split('/').slice(1);
    return resolved(
      named.reduce<unknown>((at, step) => (at as Json)[step], document),
      document,
    );
  }
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolved(value, document)]));
}
