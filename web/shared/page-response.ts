import type { FastifyReply } from 'fastify';
import { type FormTargets, securityHeaders } from './security-headers';

/** The response of a page: a view, a redirect, or content that only its service can send. */
export type PageResponse<Other> = View | Redirect | Other;

/** A template with the variables that it shows. */
export interface View {
  readonly view: string;
  readonly model?: Readonly<Record<string, unknown>>;
  /** HTTP status; 200 if absent. */
  readonly status?: number;
  readonly formTargets?: FormTargets;
  /** Another origin to which scripts of the page may send requests. */
  readonly connectsTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A redirect to another page (303 See Other). */
interface Redirect {
  readonly seeOther: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns whether a response is a view. */
export function isView(response: object): response is View {
  return 'view' in response;
}

/** Returns whether a response is a redirect. */
export function isRedirect(response: object): response is Redirect {
  return 'seeOther' in response;
}

/** Sends the HTML of a view. */
export function sendHtml(
  reply: FastifyReply,
  { status = 200, formTargets = 'self', connectsTo, headers = {} }: View,
  html: string,
  { production, hasTls, language }: { production: boolean; hasTls: boolean; language: string },
): void {
  void reply
    .code(status)
    .headers({ ...securityHeaders(production, hasTls, formTargets, connectsTo), ...headers })
    .header('content-language', language)
    .type('text/html; charset=utf-8')
    .send(html);
}

/** Sends a redirect. */
export function sendRedirect(reply: FastifyReply, { seeOther, headers = {} }: Redirect): void {
  void reply.headers(headers).redirect(seeOther, 303);
}
