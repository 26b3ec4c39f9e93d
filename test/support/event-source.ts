import { until } from './until';

/** One message of a stream of Server-Sent Events. */
export interface StreamMessage {
  readonly event: string;
  readonly data: ReturnType<typeof JSON.parse>;
  readonly id: string | undefined;
}

/** An open stream, and the messages received. */
export interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: readonly StreamMessage[];
  /** Waits for the first matching message of a kind. */
  next(event: string, fits?: (message: StreamMessage) => boolean): Promise<StreamMessage>;
  /** Resolves when the server ends it. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Opens a stream as a browser's page would. */
export async function openStream(address: string, headers: Record<string, string>): Promise<OpenStream> {
  const closing = new AbortController();
  const response = await fetch(address, {
    headers: { accept: 'text/event-stream', ...headers },
    redirect: 'manual',
    signal: closing.signal,
  });
  const messages: StreamMessage[] = [];
  return {
    status: response.status,
    headers: response.headers,
    messages,
    next: (event, fits = () => true) => until(() => messages.find((each) => each.event === event && fits(each))),
    ended: read(response, messages).catch((error: unknown) => {
      if (!closing.signal.aborted) throw error;
    }),
    close: () => closing.abort(),
  };
}

async function read({ body }: Response, messages: StreamMessage[]): Promise<void> {
  let rest = '';
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    messages.push(...blocks.flatMap(messageOf));
  }
}

function messageOf(block: string): StreamMessage[] {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const [event, data] = [field('event'), field('data')];
  return event === undefined || data === undefined ? [] : [{ event, data: JSON.parse(data), id: field('id') }];
}
