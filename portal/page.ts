import type { PortalCookies, SealedPortalCookies } from './request/cookies';
import type { Language, Wording } from './request/languages';
import type { FormTargets } from '../web/security-headers';

/** A page, or a form of one: its place, and what it answers. One file each, listed in `page-list.ts`. */
export interface Page {
  readonly method: 'GET' | 'POST';
  /** Path below the portal's address, or for ceremony pages below that of the re-identification pages. */
  readonly path: string;
  readonly place: 'portal' | 'identity';
  /** Of a form: path of the page that has it, where that is another. What the form is answered links to that page as to itself. */
  readonly formOn?: string;
  answer(visit: Visit): Answer | Promise<Answer>;
}

/** One request of one person, as far as pages need to know it. */
export interface Visit {
  /** Values in the path. */
  readonly values: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Fields of the form that was sent. */
  readonly form: Readonly<Record<string, string>>;
  /** Path and query string as sent. */
  readonly address: string;
  /** Path of this page, or of the page whose form was sent: an answer that links to itself leads there. */
  readonly ownPath: string;
  readonly language: Language;
  readonly wording: Wording;
  readonly cookies: PortalCookies;
  readonly sealed: SealedPortalCookies;
  readonly places: Places;
  /** Asks the register as nobody in particular; throws RegisterRefusal. */
  ask<Data>(operation: string, variables?: Record<string, unknown>): Promise<Data>;
  /** Asks it as the customer who is signed in here; AUT001 when nobody is. */
  askAsCustomer<Data>(operation: string, variables?: Record<string, unknown>): Promise<Data>;
}

/** Addresses that the world knows. */
export interface Places {
  readonly portalUrl: string;
  /** Path of the re-identification pages, without a slash at the end. */
  readonly identityPath: string;
}

/** What a page answers. */
export type Answer = View | Redirect | { readonly json: unknown; readonly status?: number } | File;

/** A way to another page. */
export interface Redirect {
  readonly seeOther: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A template and what it shows. */
export interface View {
  readonly view: string;
  readonly model?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly formTargets?: FormTargets;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Something to keep. */
export interface File {
  readonly file: string;
  readonly type: string;
  readonly name: string;
}
