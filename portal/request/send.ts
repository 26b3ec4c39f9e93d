import type { FastifyReply, FastifyRequest } from 'fastify';
import { LANGUAGES } from './languages';
import type { FormTokens } from '../../web/form-token';
import { securityHeaders } from '../../web/security-headers';
import type { Render } from '../../web/templates';
import type { Answer, View, Visit } from '../page';

/** What sending needs. */
export interface Sending {
  readonly render: Render;
  readonly formTokens: FormTokens;
  readonly assetPath: string;
  readonly production: boolean;
  /** Whether the world reaches the portal by TLS. */
  readonly hasTls: boolean;
}

/** Sends an answer: a page, a way to another page, a file, or what a script asked for. */
export function send(
  sending: Sending,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Visit,
  answer: Answer,
): void {
  if ('view' in answer) {
    sendView(sending, request, reply, visit, answer);
  } else if ('seeOther' in answer) {
    void reply.headers(answer.headers ?? {}).redirect(answer.seeOther, 303);
  } else if ('file' in answer) {
    const { file, type, name } = answer;
    void reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(file);
  } else {
    void reply.code(answer.status ?? 200).send(answer.json);
  }
}

function sendView(sending: Sending, request: FastifyRequest, reply: FastifyReply, visit: Visit, view: View): void {
  const { status = 200, formTargets = 'self', headers = {} } = view;
  const html = sending.render(view.view, { ...frameOf(sending, request, visit), ...view.model });
  void reply
    .code(status)
    .headers({ ...securityHeaders(sending.production, sending.hasTls, formTargets), ...headers })
    .header('content-language', visit.language)
    .type('text/html; charset=utf-8')
    .send(html);
}

/** What the frame of every page shows: wording, language switch, styles, what its forms need. */
function frameOf({ formTokens, assetPath }: Sending, request: FastifyRequest, visit: Visit) {
  const { language, wording, cookies, places, ownPath } = visit;
  return {
    t: wording,
    home: `${places.portalUrl}/`,
    language,
    languages: LANGUAGES.map((each) => ({ language: each, current: each === language })),
    path: ownPath,
    assetPath,
    transactionId: request.id,
    formToken: () => formTokens.issue(cookies),
  };
}
