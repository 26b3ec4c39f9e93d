import { type ErrorCode, errorCatalogue } from '../../../schema/error-catalogue';
import type { OperationError } from '../../shared/operation-error';
import type { View } from '../../shared/page-response';

/** Title and text of an error page. */
interface Problem {
  readonly title: string;
  readonly text: string;
}

const NOT_READ: Problem = { title: 'The request could not be read', text: 'Go back and try again.' };

const NOT_ALLOWED: Problem = { title: 'Not allowed', text: 'Your account may not open this page.' };

const PROBLEMS: Partial<Record<ErrorCode, Problem>> = {
  NTF001: { title: 'Page not found', text: 'Check the address, or start again.' },
  NTF003: {
    title: 'Tariff not found',
    text: 'No supplier has published a tariff with this identifier. Check the address.',
  },
  PRM001: NOT_ALLOWED,
  PRM002: NOT_ALLOWED,
  LIM001: NOT_READ,
  VAL001: NOT_READ,
  VAL003: NOT_READ,
  VAL011: NOT_READ,
  LIM002: { title: 'Too many requests', text: 'Wait a minute, then try again.' },
  SYS002: { title: 'The register does not respond', text: 'Part of it is unavailable. Try again in a moment.' },
};

const INTERNAL: Problem = { title: 'Something went wrong', text: 'Quote the transaction id when you report this.' };

/** The link of an error page, and the section of the console to which the page belongs. */
interface NextPage {
  readonly section?: 'grid' | 'tariffs';
  readonly onward: { readonly address: string; readonly name: string };
}

const TO_LIVE_PAGE: NextPage = { onward: { address: '/', name: 'Go to the live page' } };

/** The grid is public: its readers may have no access to the live page. */
const TO_GRID: NextPage = { section: 'grid', onward: { address: '/grid', name: 'Go to the development projects' } };

/** The tariffs are public, too. */
const TO_TARIFFS: NextPage = { section: 'tariffs', onward: { address: '/tariffs', name: 'Go to the tariffs' } };

function nextPageFor(address: string): NextPage {
  const [, section] = /^\/(grid|tariffs)(?![^/?])/.exec(address) ?? [];
  if (section === undefined) return TO_LIVE_PAGE;
  return section === 'grid' ? TO_GRID : TO_TARIFFS;
}

/** Returns the error page of a code, with the status of the code and a link to the section of the requested address. */
export function problemOf({ code, retryAfter }: OperationError, address: string): View {
  return {
    view: 'problem',
    model: { ...(PROBLEMS[code] ?? INTERNAL), ...nextPageFor(address) },
    status: errorCatalogue[code].status,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(Math.ceil(retryAfter)) } }),
  };
}

/** The page of a form that the console did not issue to this browser. */
export const FORM_EXPIRED: View = {
  view: 'problem',
  model: {
    title: 'This form has expired',
    text: 'Nothing was changed. Open the page again and repeat the action.',
    ...TO_LIVE_PAGE,
  },
  status: errorCatalogue.PRM001.status,
};
