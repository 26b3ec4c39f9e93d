import { type ErrorCode, errorCatalogue } from '../../../schema/error-catalogue';
import { type OperationError, hasErrorCode } from '../../shared/operation-error';
import type { View } from '../../shared/page-response';
import type { PageResponse } from '../page';

/** Error pages; each has a group of texts. */
type Problem =
  | 'notFound'
  | 'linkExpired'
  | 'confirmationUsed'
  | 'ceremonyUsed'
  | 'passkeyRemoved'
  | 'notWithdrawn'
  | 'tooMany'
  | 'unavailable'
  | 'sessionEnded'
  | 'formExpired'
  | 'brokenRequest'
  | 'internal';

const PROBLEMS: Partial<Record<ErrorCode, Problem>> = {
  NTF001: 'notFound',
  AUT001: 'sessionEnded',
  AUT002: 'sessionEnded',
  PRM001: 'formExpired',
  REI001: 'passkeyRemoved',
  LIM001: 'brokenRequest',
  LIM002: 'tooMany',
  VAL001: 'brokenRequest',
  VAL003: 'brokenRequest',
  VAL011: 'brokenRequest',
  SYS002: 'unavailable',
};

const SECONDS_PER_MINUTE = 60;

/**
 * Returns the error page of a code, with the status of the code. The page says what to do and never shows the message
 * of the register.
 */
export function problemOf({ code, retryAfter }: OperationError): View {
  const waitSeconds = code === 'LIM002' ? Math.max(1, Math.ceil(retryAfter ?? SECONDS_PER_MINUTE)) : undefined;
  return {
    ...problem(PROBLEMS[code] ?? 'internal', errorCatalogue[code].status),
    ...(waitSeconds === undefined ? {} : waitView(waitSeconds)),
  };
}

function waitView(seconds: number): Pick<View, 'model' | 'headers'> {
  return {
    model: { problem: 'tooMany', minutes: Math.ceil(seconds / SECONDS_PER_MINUTE) },
    headers: { 'retry-after': String(seconds) },
  };
}

/** Returns an error page. */
function problem(name: Problem, status: number): View {
  return { view: 'problem', model: { problem: name }, status };
}

/** The page of a link that was used, has expired or never existed. It does not reveal which. */
export const LINK_EXPIRED: View = problem('linkExpired', errorCatalogue.NTF001.status);

/**
 * The page of a confirmation by a link that was used, has expired or never existed: a browser that received no response repeats the form. The
 * page does not reveal which, and does not return the customer, because another holder of the link would then receive the token-ref.
 */
export const CONFIRMATION_USED: View = problem('confirmationUsed', errorCatalogue.NTF001.status);

/**
 * The page after the form of a passkey ceremony that was completed or has expired: the browser may have sent the form a second time. As that of
 * a confirmation, it does not return the customer.
 */
export const CEREMONY_USED: View = problem('ceremonyUsed', errorCatalogue.NTF001.status);

/** The page of a withdrawal of an access that is no longer in the customer's scope. */
export const NOT_WITHDRAWN: View = problem('notWithdrawn', errorCatalogue.NTF001.status);

/** Runs `step`, which redeems the secret of a link; returns `rejected` if the register rejects the secret. */
export async function withLink(step: () => Promise<PageResponse>, rejected = LINK_EXPIRED): Promise<PageResponse> {
  try {
    return await step();
  } catch (error) {
    if (hasErrorCode(error, 'NTF001', 'AUT001')) return rejected;
    throw error;
  }
}
