import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * One exchange of an `.http` file, as written. The player replaces its variables (test/adapter/exchanges/README.md).
 */
export interface WrittenExchange {
  readonly title: string;
  /** Number of times the request is sent before the response counts; 1 without `# sent N times`. */
  readonly times: number;
  /**
   * True if the request is repeated until the response is as expected, because the expected effect follows an earlier
   * response.
   */
  readonly isAwaited: boolean;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the body; undefined without one. */
  readonly body: string | undefined;
  /** Members of the zip file that is the body; undefined for a text. */
  readonly archive: readonly ArchiveMember[] | undefined;
  readonly expected: WrittenResponse;
}

/** A file in an archive that is sent. */
export interface ArchiveMember {
  readonly name: string;
  readonly bytes: string;
}

/** The expected response: status, headers in lower case, and a body. Without a body, any is accepted. */
export interface WrittenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3})\b/;
const REQUEST_LINE = /^([A-Z]+) (\S.*)$/;
const TIMES = /^# sent (\d+) times$/;
const AWAITED = '# sent until it is so';

/** Reads the exchanges of an `.http` file. */
export function readExchanges(file: string): WrittenExchange[] {
  const [, ...sections] = readFileSync(file, 'utf8').split(/^### /m);
  return sections.map((section) => exchangeOf(section, file));
}

function exchangeOf(section: string, file: string): WrittenExchange {
  const [title = '', ...lines] = section.split('\n');
  const fail = (reason: string) => new Error(`${file}, "${title}": ${reason}`);
  const split = lines.findIndex((line) => STATUS_LINE.test(line));
  if (split === -1) throw fail('expects no response');
  const times = lines.map((line) => TIMES.exec(line)?.[1]).find((found) => found !== undefined);
  const message = lines.slice(0, split).filter((line) => !line.startsWith('#'));
  const request = partsOf(message.slice(message.findIndex((line) => line.trim() !== '')));
  const response = partsOf(lines.slice(split));
  const [, method, target] = REQUEST_LINE.exec(request.start) ?? [];
  const archive = request.body === undefined ? undefined : archiveOf(request.body, dirname(file));
  if (method === undefined || target === undefined) throw fail(`has no request line: ${request.start}`);
  return {
    title: title.trim(),
    times: Number(times ?? 1),
    isAwaited: lines.includes(AWAITED),
    method,
    target,
    headers: request.headers,
    body: request.body === undefined || archive ? undefined : bodyText(request.body, dirname(file)),
    archive,
    expected: {
      status: Number(STATUS_LINE.exec(response.start)?.[1]),
      headers: response.headers,
      body: response.body === undefined ? undefined : expectedBody(response.body, dirname(file)),
    },
  };
}

/** Splits start line, header lines and, after an empty line, the body. */
function partsOf([start = '', ...lines]: string[]) {
  const end = lines.findIndex((line) => line.trim() === '');
  const fields = end === -1 ? lines : lines.slice(0, end);
  const headers = fields.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  const body = end === -1 ? '' : lines.slice(end).join('\n').trim();
  return {
    start,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: body === '' ? undefined : body,
  };
}

const ARCHIVE_LINE = /^< (\S+\.xml(?: \S+\.xml)*)$/;
const REPLACED = /^(\S+): (.+) becomes (.*)$/;

/** `< a.xml b.xml` is a zip file of these files, with one changed text per line: `a.xml: 0.184 becomes 0.185`. */
function archiveOf(body: string, folder: string): ArchiveMember[] | undefined {
  const [first = '', ...changes] = body.split('\n');
  const files = ARCHIVE_LINE.exec(first)?.[1]?.split(' ');
  return files?.map((file) => {
    const name = basename(file);
    const text = readFileSync(join(folder, file), 'utf8');
    const bytes = changes.reduce((changed, line) => {
      const [, of, before = '', after = ''] = REPLACED.exec(line) ?? [];
      if (of === name && !changed.includes(before)) throw new Error(`${file} has no ${before}`);
      return of === name ? changed.replaceAll(before, after) : changed;
    }, text);
    return { name, bytes };
  });
}

/** The expected body as written, or a text file that the response must equal. */
function expectedBody(body: string, folder: string): string {
  const name = FILE_LINE.exec(body)?.[1];
  return name === undefined ? body : readFileSync(join(folder, name), 'utf8');
}

const FILE_LINE = /^< (\S+)$/;
const CHANGE = /^(\/\S*) = (.*)$/;
const REMOVAL = /^(\/\S*) is absent$/;

/**
 * A body as written, or `< file.json` and one changed field per line: `/json/pointer = value`, `/json/pointer is
 * absent`.
 */
function bodyText(body: string, folder: string): string {
  const [first = '', ...changes] = body.split('\n');
  const name = FILE_LINE.exec(first)?.[1];
  if (name === undefined) return body;
  const root = JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown;
  for (const line of changes.filter((each) => each.trim() !== '')) change(root, line);
  return JSON.stringify(root);
}

function change(root: unknown, line: string): void {
  const [, pointer = '', value] = CHANGE.exec(line) ?? REMOVAL.exec(line) ?? [];
  if (pointer === '') throw new Error(`not a change: ${line}`);
  const steps = pointer.slice(1).split('/');
  const last = steps.pop() as string;
  const parent = steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], root) as Record<
    string,
    unknown
  >;
  if (value === undefined) delete parent[last];
  else parent[last] = JSON.parse(value);
}
