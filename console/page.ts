import type { ConsoleCookies, SealedConsoleCookies, Session } from './request/cookies';

/** A page of the console, or a form of one: its place, and what it answers. One file each, listed in `page-list.ts`. */
export interface Page {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  answer(visit: Visit): Answer | Promise<Answer>;
}

/** One request of one person, of the back office or not, as far as pages need to know it. */
export interface Visit {
  /** The parts of the address that the page's path names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Fields of the form that was sent. */
  readonly form: Readonly<Record<string, string>>;
  /** Where a stream that broke wants to go on: the id of the last message that arrived. */
  readonly lastEventId: string | undefined;
  readonly cookies: ConsoleCookies;
  readonly sealed: SealedConsoleCookies;
  /** Who is signed in here, if anybody: nobody any more once the session was ended, by whichever request. */
  readonly session: Session | undefined;
  /** Asks the register as nobody, or with a token that was just issued; throws RegisterRefusal. */
  ask<Data>(operation: string, variables: Record<string, unknown>, token?: string): Promise<Data>;
  /** Asks it as whoever is signed in here; AUT001 when nobody is. */
  askAsAccount<Data>(operation: string, variables?: Record<string, unknown>): Promise<Data>;
  /** Ends the session, for every copy of its cookie; answers the streams that are open by it, which have to be told. */
  endSession(): readonly Outlet[];
}

/** What a page answers. */
export type Answer = View | Redirect | Stream;

/** A template and what it shows. */
export interface View {
  readonly view: string;
  readonly model?: Readonly<Record<string, unknown>>;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A way to another page. */
export interface Redirect {
  readonly seeOther: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Messages to a page for as long as it is open (Server-Sent Events). */
export interface Stream {
  stream(outlet: Outlet, parts: StreamParts): void;
}

/** What a stream needs of the console. */
export interface StreamParts {
  /** Makes a part of a page. */
  readonly render: (view: string, model: Readonly<Record<string, unknown>>) => string;
  /** Address of the WebSocket of the gateway. */
  readonly subscriptionsUrl: string;
}

/** The open end of a stream. */
export interface Outlet {
  /** Sends one message: its kind, its data as JSON, and the id from which a stream that breaks goes on. */
  send(message: { readonly event: string; readonly data: unknown; readonly id?: string | undefined }): void;
  /** Whether the browser has not yet taken what was sent. */
  isBehind(): boolean;
  /** Aborted when the page has gone, or the console ends. */
  readonly gone: AbortSignal;
  /** Ends the stream. */
  end(): void;
}
