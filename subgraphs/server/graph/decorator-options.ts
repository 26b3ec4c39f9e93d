// A description that does not fit on one line is written in an object, because the call would take more lines.

/** Options of an object type whose fields are plain properties: type-graphql reads them without middleware. */
export const simple = (description: string) => ({ description, simpleResolvers: true }) as const;

/** Options of a field or argument that may be null. */
export const nullable = (description: string) => ({ nullable: true, description }) as const;

/** Options of an optional field or argument, null by default in input. */
export const optional = (description: string) => ({ nullable: true, defaultValue: null, description }) as const;
