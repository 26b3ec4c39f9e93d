import { type ErrorCode, errorCatalogue } from '../../schema/error-catalogue';
import type { RegisterRefusal } from '../../web/register-refusal';
import type { View } from '../page';

/** What a page tells of a problem. */
interface Problem {
  readonly title: string;
  readonly text: string;
}

const NOT_READ: Problem = { title: 'That could not be read', text: 'Go back and try again.' };

const NOT_ALLOWED: Problem = { title: 'Not allowed', text: 'Your account may not see this.' };

const PROBLEMS: Partial<Record<ErrorCode, Problem>> = {
  NTF001: { title: 'Page not found', text: 'Check the address, or start again.' },
  NTF003: {
    title: 'Tariff not found',
    text: 'No supplier has published a tariff of this identifier. Check the address.',
  },
  PRM001: NOT_ALLOWED,
  PRM002: NOT_ALLOWED,
  LIM001: NOT_READ,
  VAL001: NOT_READ,
  VAL003: NOT_READ,
  VAL011: NOT_READ,
  LIM002: { title: 'Too many requests', text: 'Wait a minute, then try again.' },
  SYS002: { title: 'The register does not answer', text: 'A part of it is away. Try again in a moment.' },
};

const INTERNAL: Problem = { title: 'Something went wrong', text: 'Quote the transaction id to have it looked up.' };

/** Where the page of a problem leads to. */
interface WayOn {
  readonly room?: 'grid' | 'tariffs';
  readonly onward: { readonly address: string; readonly name: string };
}

const TO_LIVE_PAGE: WayOn = { onward: { address: '/', name: 'Go to the live page' } };

/** The grid is public: whoever reads of it may not see the live page. */
const TO_GRID: WayOn = { room: 'grid', onward: { address: '/grid', name: 'Go to the development projects' } };

/** So are the tariffs. */
const TO_TARIFFS: WayOn = { room: 'tariffs', onward: { address: '/tariffs', name: 'Go to the tariffs' } };

function wayOnFrom(address: string): WayOn {
  const [, room] = /^\/(grid|tariffs)(?![^/?])/.exec(address) ?? [];
  if (room === undefined) return TO_LIVE_PAGE;
  return room === 'grid' ? TO_GRID : TO_TARIFFS;
}

/** The page of a refusal, with the status of its code; it leads to where the address belongs that was asked for. */
export function problemOf({ code, retryAfter }: RegisterRefusal, address: string): View {
  return {
    view: 'problem',
    model: { ...(PROBLEMS[code] ?? INTERNAL), ...wayOnFrom(address) },
    status: errorCatalogue[code].status,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(Math.ceil(retryAfter)) } }),
  };
}

/** The page of a form that this browser did not get from the console. */
export const FORM_EXPIRED: View = {
  view: 'problem',
  model: {
    title: 'This form has expired',
    text: 'Nothing was changed. Open the page again and repeat.',
    ...TO_LIVE_PAGE,
  },
  status: errorCatalogue.PRM001.status,
};
