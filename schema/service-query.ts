/**
 * A GraphQL operation that one service sends to another: a file of `service-queries/<called service>/`. `npm run schema` generates each from
 * its document, with the types of its result and of its variables.
 */
export interface ServiceQuery<Result, Variables> {
  readonly text: string;
  /** Carries the types; it has no value. */
  readonly types?: (variables: Variables) => Result;
}
