/** A JSON Schema of the contract (draft 2020-12) with references resolved. */
export interface ContractSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ContractSchema>>;
  readonly required?: readonly string[];
  readonly items?: ContractSchema;
  readonly oneOf?: readonly ContractSchema[];
  /** Variants of a response; the documents of the operation determine which. */
  readonly anyOf?: readonly ContractSchema[];
  readonly enum?: readonly (string | null)[];
  readonly additionalProperties?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly readOnly?: boolean;
  readonly default?: unknown;
  readonly maxLength?: number;
}

/** Returns a schema without its `null` variant, and whether it had one. */
export function withoutNull(schema: ContractSchema): { readonly schema: ContractSchema; readonly nullable: boolean } {
  const other = schema.oneOf?.find(({ type }) => type !== 'null');
  if (other && schema.oneOf?.some(({ type }) => type === 'null')) return { schema: other, nullable: true };
  const { type } = schema;
  if (typeof type === 'string' || !type?.includes('null')) return { schema, nullable: false };
  const [kind = 'null'] = type.filter((name) => name !== 'null');
  return {
    schema: { ...schema, type: kind, ...(schema.enum ? { enum: schema.enum.filter((value) => value !== null) } : {}) },
    nullable: true,
  };
}
