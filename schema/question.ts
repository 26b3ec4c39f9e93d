/**
 * A GraphQL operation that one service asks another: the files of `questions/<service asked>/`. `npm run schema` generates each from its
 * document, with the types of its result and of its variables.
 */
export interface Question<Result, Variables> {
  readonly text: string;
  /** Carries the types; it has no value. */
  readonly types?: (variables: Variables) => Result;
}
