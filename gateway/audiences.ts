import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { RegisterError } from '../schema/register-error';
import { ACCOUNT_ROLES, type Role } from '../schema/roles';
import { type CallContext, requireAmong } from '../subgraphs/server/caller';
import type { Identified } from './authentication';

/** Root field (`Query.accessRecord`) to the roles that may call it, as in `schema/generated/audiences.json`. */
export type Audiences = Readonly<Record<string, readonly string[]>>;

/** Who may call the root fields of one operation. */
export interface OperationAudience {
  /** Every root field may be called without a credential. */
  readonly open: boolean;
  /** Of every root field an invalid token is ignored (verify, 2-decisions-a-b.md, section 3); of Interface D's none is. */
  readonly lenient: boolean;
  /** One entry per root field. */
  readonly fields: readonly (readonly string[])[];
}

const ROOT_TYPES = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

/** The audience of an operation; introspection has the one given. A field that nobody declared has none. */
export function audienceOf(
  operation: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  audiences: Audiences,
  introspection: readonly string[],
): OperationAudience {
  const names = rootFields(operation.selectionSet, fragments, new Set<string>());
  const fields = [...names].map((name) => {
    if (name === '__typename') return ['anyone'];
    if (name.startsWith('__')) return introspection;
    return audiences[`${ROOT_TYPES[operation.operation]}.${name}`] ?? [];
  });
  const open = fields.every((audience) => audience.includes('anyone') || audience.includes('public'));
  return { fields, open, lenient: fields.every((audience) => audience.includes('anyone')) };
}

function rootFields(set: SelectionSetNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>, found: Set<string>) {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) found.add(selection.name.value);
    else if (selection.kind === Kind.INLINE_FRAGMENT) rootFields(selection.selectionSet, fragments, found);
    else {
      const fragment = fragments.get(selection.name.value);
      if (fragment) rootFields(fragment.selectionSet, fragments, found);
    }
  }
  return found;
}

/** What nothing public depends on: whether the RTI User of a valid token is active. */
const STANDING_FAULTS: ReadonlySet<string> = new Set(['RTI001']);
/** What a verification does not depend on, either: whether its token is valid, and how much its account asked before. */
const TOKEN_FAULTS: ReadonlySet<string> = new Set([...STANDING_FAULTS, 'AUT001', 'AUT002', 'LIM002']);

/**
 * The context in which an operation may run. Refuses a caller whom no root field would answer: AUT001 or AUT002 without a
 * valid token, PRM001 with a wrong role or without the scope. The subgraphs check every field again, and alone decide about a part of them.
 */
export function admit({ open, lenient, fields }: OperationAudience, { context, fault }: Identified): CallContext {
  if (fault && !(open && (lenient ? TOKEN_FAULTS : STANDING_FAULTS).has(fault.code))) throw fault;
  if (open) return context;
  const allowed = (role: string) => fields.some((audience) => audience.includes(role));
  if (allowed('anyone') || allowed('public')) return context;
  if (!context.caller) throw new RegisterError('AUT001');
  requireAmong(fields.flat(), context.caller);
  return context;
}

/** Who may introspect: every signed-in role, in production the back office only. */
export function introspectionAudience(production: boolean): readonly Role[] {
  return production ? ['admin', 'analyst'] : [...ACCOUNT_ROLES, 'customer', 'consumer'];
}
