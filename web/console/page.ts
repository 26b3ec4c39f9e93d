import type { Agent } from 'node:https';
import type { ExecuteOperation } from '../shared/operation-runner';
import type { PageResponse as AnyPageResponse } from '../shared/page-response';
import type { RequestContext } from '../shared/request-context';
import type { Render } from '../shared/templates';
import type { CookieName, Session } from './request/cookies';
import type { SharedResults } from './request/shared-results';

/** A page (GET), or the handler of a form (POST). One file per page, listed in `page-list.ts`. */
export interface Page {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  respond(context: PageContext): PageResponse | Promise<PageResponse>;
}

/** Makes a page. */
export const get = (path: string, respond: Page['respond']): Page => ({ method: 'GET', path, respond });

/** Makes the handler of a form. */
export const post = (path: string, respond: Page['respond']): Page => ({ method: 'POST', path, respond });

/** The context of one request, for its page. */
export interface PageContext extends RequestContext<CookieName> {
  readonly language: 'en';
  /** URL of the REST interfaces, as browsers reach them. */
  readonly filesUrl: string;
  /** Id of the last message that the browser received before its stream broke (`Last-Event-ID`). */
  readonly lastEventId: string | undefined;
  /** The session of this browser; undefined also after a concurrent request has ended it. */
  readonly session: Session | undefined;
  /** Renders a fragment of a page. */
  readonly render: Render;
  /** The maps of grid models, which all visitors share. */
  readonly gridMaps: SharedResults<{ readonly html: string }>;
  /** Executes an operation with the session's token; AUT001 without a session. */
  readonly executeAsAccount: ExecuteOperation;
  /** Ends the session for every copy of its cookie. Returns its open streams, which the caller must end. */
  endSession(): readonly EventStream[];
}

/** The response of a page. */
export type PageResponse = AnyPageResponse<StreamResponse>;

/** A response of messages that ends when the page is closed (Server-Sent Events). */
export interface StreamResponse {
  streamTo(stream: EventStream, dependencies: StreamDependencies): void;
}

/** The WebSocket of the gateway. */
export interface SubscriptionsAddress {
  readonly url: string;
  /** Connects to a gateway in another process. */
  readonly agent: Agent | undefined;
}

/** Dependencies of streams, besides the context of their request. */
export interface StreamDependencies {
  /** Renders a fragment of a page. */
  readonly render: Render;
  readonly subscriptions: SubscriptionsAddress;
}

/** The server's end of an open stream. */
export interface EventStream {
  /** Sends one message. After a reconnection the browser sends the last `id` back as `Last-Event-ID`. */
  send(message: { readonly event: string; readonly data: unknown; readonly id?: string | undefined }): void;
  /** True while the browser has not yet read all sent data. */
  isBehind(): boolean;
  /** Aborted when the browser disconnects or the console shuts down. */
  readonly closed: AbortSignal;
  /** Ends the stream. */
  end(): void;
}
