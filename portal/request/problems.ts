import { type ErrorCode, errorCatalogue } from '../../schema/error-catalogue';
import type { View } from '../page';
import type { RegisterRefusal } from '../../web/register-refusal';

/** What a page can tell of a problem; each is a group of texts. */
export type Problem =
  | 'notFound'
  | 'linkExpired'
  | 'passkeyRemoved'
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

const SECONDS_OF_A_MINUTE = 60;

/** The page of a refusal, with the status of its code. It tells what to do, never why in the register's words. */
export function problemOf({ code, retryAfter }: RegisterRefusal): View {
  const wait = code === 'LIM002' ? Math.max(1, Math.ceil(retryAfter ?? SECONDS_OF_A_MINUTE)) : undefined;
  return {
    ...problem(PROBLEMS[code] ?? 'internal', errorCatalogue[code].status),
    ...(wait === undefined ? {} : waiting(wait)),
  };
}

function waiting(seconds: number): Pick<View, 'model' | 'headers'> {
  return {
    model: { problem: 'tooMany', minutes: Math.ceil(seconds / SECONDS_OF_A_MINUTE) },
    headers: { 'retry-after': String(seconds) },
  };
}

/** The page of a problem. */
export function problem(name: Problem, status: number): View {
  return { view: 'problem', model: { problem: name }, status };
}

/** The page of a mailed or handed-over link that was used, has expired or never was: nobody learns which. */
export const LINK_EXPIRED: View = problem('linkExpired', errorCatalogue.NTF001.status);
