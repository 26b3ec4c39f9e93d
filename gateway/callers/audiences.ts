import type { OperationDefinitionNode } from 'graphql';
import { RegisterError } from '../../schema/register-error';
import { ACCOUNT_ROLES, type Role } from '../../schema/roles';
import { type CallContext, type Caller, requireAmong } from '../../subgraphs/server/callers/caller';
import { type Fragments, rootFieldsOf } from '../../subgraphs/server/graph/root-fields';
import { CLIENT_SCHEMA_PATH } from '../explorer/client-schema';
import type { Identification } from './authentication';

/** Root field (`Query.accessRecord`) to the roles that may call it, as in `schema/generated/audiences.json`. */
export type Audiences = Readonly<Record<string, readonly string[]>>;

/** The roles that may call the root fields of one operation. */
export interface OperationAudience {
  /** Every root field may be called without a credential. */
  readonly open: boolean;
  /** An invalid or unverifiable token is ignored for every root field: verification (decisions A/B, 3), but nothing of Interface D. */
  readonly lenient: boolean;
  /** Every root field is verification, which counts lookups of an account that is above its request rate, too. */
  readonly verifies: boolean;
  /** The operation only ends the session of the calling customer, also of one above its request rate. */
  readonly endsSession: boolean;
  /** Every root field admits a consumer whose supplier or RTI User is inactive. */
  readonly admitsInactive: boolean;
  /** One entry per root field. */
  readonly fields: readonly (readonly string[])[];
  /** Roles that may introspect if the operation does; otherwise undefined. */
  readonly introspection: readonly string[] | undefined;
}

const VERIFICATION = 'accessRecord';
const END_OF_SESSION = 'endCustomerSession';
const ROOT_TYPES = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

/**
 * Returns the audience of an operation. Introspection fields have the audience `introspection`; an undeclared field
 * admits no role.
 */
export function audienceOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  audiences: Audiences,
  introspection: readonly string[],
): OperationAudience {
  const names = new Set(rootFieldsOf(operation.selectionSet, fragments).map(({ name }) => name.value));
  const fields = [...names].map((name) => {
    if (name === '__typename') return ['anyone'];
    if (name.startsWith('__')) return introspection;
    return audiences[`${ROOT_TYPES[operation.operation]}.${name}`] ?? [];
  });
  const open = fields.every((audience) => audience.includes('anyone') || audience.includes('public'));
  return {
    fields,
    open,
    lenient: fields.every((audience) => audience.includes('anyone')),
    verifies: operation.operation === 'query' && names.size === 1 && names.has(VERIFICATION),
    endsSession: operation.operation === 'mutation' && names.size === 1 && names.has(END_OF_SESSION),
    admitsInactive: fields.every((audience) => audience.includes('inactive_consumer')),
    introspection: fields.includes(introspection) ? introspection : undefined,
  };
}

/** Errors of a valid token that public fields ignore: its RTI User is not active. */
const STATUS_ERRORS: ReadonlySet<string> = new Set(['RTI001']);
/**
 * Errors that verification ignores as well: an invalid token, an account over its request rate, and a token whose
 * caller no service can identify at present.
 */
const TOKEN_ERRORS: ReadonlySet<string> = new Set([...STATUS_ERRORS, 'AUT001', 'AUT002', 'LIM002', 'SYS002']);

/**
 * Returns the context in which the operation may run. Throws the authentication error unless the operation ignores it,
 * AUT001 without a caller, and PRM001 if no root field admits the caller's role and scopes. One admitted root field
 * suffices, because the subgraphs check every field again, except for introspection, which the gateway alone executes.
 */
export function admit(audience: OperationAudience, { context, error, inactiveContext }: Identification): CallContext {
  const { open, lenient, admitsInactive, fields, introspection } = audience;
  if (inactiveContext && admitsInactive) return admit(audience, { context: inactiveContext });
  if (error && !(open && (lenient ? TOKEN_ERRORS : STATUS_ERRORS).has(error.code))) throw error;
  if (open) return context;
  if (introspection) requireIntrospection(introspection, context.caller);
  const allowed = (role: string) => fields.some((each) => each.includes(role));
  if (allowed('anyone') || allowed('public')) return context;
  if (!context.caller) throw new RegisterError('AUT001');
  requireAmong(fields.flat(), context.caller);
  return context;
}

function requireIntrospection(roles: readonly string[], caller: Caller | null): void {
  if (caller && roles.includes(caller.role)) return;
  const reason = caller ? 'The role of the caller may not introspect.' : 'Introspection needs a bearer token.';
  throw new RegisterError(
    caller ? 'PRM001' : 'AUT001',
    `${reason} The gateway serves the schema for clients at ${CLIENT_SCHEMA_PATH}, without a token.`,
  );
}

/** Roles that may introspect: in production the back office, otherwise every authenticated role. */
export function introspectionAudience(production: boolean): readonly Role[] {
  return production ? ['admin', 'analyst'] : [...ACCOUNT_ROLES, 'customer', 'consumer'];
}
