import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormTokens } from '../../web/form-token';
import type { Render } from '../../web/templates';
import type { Answer, StreamParts, View, Visit } from '../page';
import type { OpenStreams } from './open-streams';

/** What sending needs. */
export interface Sending {
  readonly render: Render;
  readonly formTokens: FormTokens;
  readonly assetPath: string;
  readonly filesUrl: string;
  readonly streams: OpenStreams;
  readonly subscriptionsUrl: string;
}

/** Sends an answer: a page, a way to another page, or a stream. */
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
  } else {
    const { render, subscriptionsUrl } = sending;
    const parts: StreamParts = { render: (view, model) => render(view, model), subscriptionsUrl };
    answer.stream(sending.streams.open(request, reply, visit.session?.id), parts);
  }
}

function sendView(sending: Sending, request: FastifyRequest, reply: FastifyReply, visit: Visit, view: View): void {
  const { formTokens, assetPath, filesUrl, render } = sending;
  const frame = {
    assetPath,
    filesUrl,
    transactionId: request.id,
    account: visit.session,
    formToken: () => formTokens.issue(visit.cookies),
  };
  const html = render(view.view, { ...frame, ...view.model });
  void reply
    .code(view.status ?? 200)
    .headers(view.headers ?? {})
    .header('content-language', 'en')
    .type('text/html; charset=utf-8')
    .send(html);
}
