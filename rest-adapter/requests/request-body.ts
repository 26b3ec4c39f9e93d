import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { errorCatalogue } from '../../schema/error-catalogue';
import { boundViolations } from './body-bounds';
import type { RequestViolation, Validator } from './validation';

/** Reads a body, and returns its violations of the contract. */
export function readBody(
  request: FastifyRequest,
  check: Validator,
): { readonly body: unknown; readonly bodyViolations: readonly RequestViolation[] } {
  const bytes = request.body as Buffer | undefined;
  try {
    if (bytes === undefined || bytes.length === 0) return { body: undefined, bodyViolations: [NO_BODY] };
    if (!isUtf8(bytes)) return { body: undefined, bodyViolations: [NOT_JSON] };
    const body: unknown = JSON.parse(textOf(bytes));
    const outOfBounds = boundViolations(body);
    const exceedsBounds = outOfBounds.some(({ pointer }) => pointer === '');
    return { body, bodyViolations: exceedsBounds ? outOfBounds : [...check(body), ...outOfBounds] };
  } catch (error) {
    if (error instanceof SyntaxError) return { body: undefined, bodyViolations: [NOT_JSON] };
    throw error;
  }
}

/** Returns a text without the byte order mark that some clients send (RFC 8259 section 8.1). */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/^\uFEFF/, '');

const NO_BODY: RequestViolation = { code: 'VAL010', pointer: '', message: 'The body is missing: send a JSON object.' };
const NOT_JSON: RequestViolation = { code: 'VAL010', pointer: '', message: errorCatalogue.VAL010.meaning };

/**
 * Returns true if the graph will report all violations. It checks read-only fields as well: if nothing else is wrong,
 * the operation runs, so that the graph reports them together with the violations of all other rules. It accepts them
 * as strings only.
 */
export function isAcceptable(violations: readonly RequestViolation[], body: unknown): boolean {
  return violations.every(({ code, pointer }) => code === 'VAL004' && typeof valueAt(body, pointer) === 'string');
}

function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], body);
}
