import { randomBytes } from 'node:crypto';
import { ClientRequest, IncomingMessage, get, request } from 'node:http';
import { type AddressInfo, Socket, connect, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import fastify, { type FastifyInstance } from 'fastify';
import type { FileStore, UploadOutcome } from '../../../../rest-adapter/files/file-store';
import { serveFileStore } from '../../../../rest-adapter/files/file-store-routes';
import { remoteFileStore } from '../../../../rest-adapter/files/remote-file-store';
import { type TestFiles, startFileFixture } from '../../../support/rest-file-fixture';
import type { TestAdapter } from '../../../support/rest-graph';
import { until } from '../../../support/until';

export function fileUploads(): void {
  const MIB = 1024 * 1024;
  const UPLOAD = '/grid-modelling/uploads/4fGh-_token';
  const version = {
    area: 'EPN',
    publicationYear: 2026,
    period: '01',
    projectId: 'P1',
    version: 2,
    publishedAt: new Date('2026-05-14T09:30:21.417Z'),
  };
  const published = (isNew: boolean): UploadOutcome => ({
    ...{ outcome: 'published', isNew, version },
    warnings: [{ file: 'EQ', message: 'The model names no base model.' }],
  });

  let test: TestAdapter & { files: TestFiles };
  beforeAll(async () => {
    test = await startFileFixture();
  });
  afterAll(() => test.adapter.close());
  beforeEach(() => {
    test.files.uploaded.length = 0;
  });

  /**
   * Makes the store receive an archive that will be interrupted; `started` resolves with its first bytes, `failed` with
   * the error of the read.
   */
  function interrupted(files: TestFiles) {
    let resolveStarted: () => void;
    let resolveFailed: (error: unknown) => void;
    const started = new Promise<void>((resolve) => (resolveStarted = resolve));
    const failed = new Promise<unknown>((resolve) => (resolveFailed = resolve));
    jest.spyOn(files, 'publishAt').mockImplementationOnce(async (_, archive) => {
      archive.once('data', resolveStarted);
      await buffer(archive).catch(resolveFailed);
      return { outcome: 'gone' };
    });
    return { started, failed };
  }

  async function put(body: Buffer | string, headers: Record<string, string> = { 'content-type': 'application/zip' }) {
    const response = await fetch(`${test.adapter.url}${UPLOAD}`, {
      method: 'PUT',
      body: new Uint8Array(Buffer.from(body)),
      headers,
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
  }

  /** Sends an endless body as fast as the adapter reads it. Resolves with the sent bytes when the response arrives. */
  function flooded(head: string): Promise<{ sent: number; response: string }> {
    const client = connect(Number(new URL(test.adapter.url).port), '127.0.0.1');
    client.on('error', () => undefined);
    const bytes = Buffer.alloc(MIB);
    const send = () => {
      while (!client.destroyed && client.write(bytes));
    };
    client.on('connect', () => client.write(head, send)).on('drain', send);
    return new Promise((resolve) => {
      const ended = (response: string) => resolve({ sent: client.bytesWritten, response });
      client.on('data', (response) => {
        ended(response.toString());
        client.destroy();
      });
      client.on('close', () => ended(''));
    });
  }

  describe('an archive that is sent to its upload URL', () => {
    it('is not found without the token of an address, and is not received', async () => {
      const address = `${test.adapter.url}/grid-modelling/uploads/`;
      const headers = { 'content-type': 'application/zip' };
      const response = await fetch(address, { method: 'PUT', headers, body: new Uint8Array([80, 75, 3, 4]) });
      expect([response.status, test.files.uploaded]).toEqual([404, []]);
    });

    it('is published: 201 with the version and its location', async () => {
      test.files.outcome = published(true);
      const archive = randomBytes(3 * 1024 * 1024);
      const { status, headers, body } = await put(archive);
      expect([status, body]).toEqual([
        201,
        {
          licenceArea: 'EPN',
          publicationYear: 2026,
          period: '01',
          projectId: 'P1',
          version: 2,
          publishedAt: '2026-05-14T09:30:21.417Z',
          warnings: [{ cimFile: 'EQ.xml', message: 'The model names no base model.' }],
        },
      ]);
      expect(headers.get('location')).toBe(
        '/grid-modelling/stage3/development-projects/P1?licenceArea=EPN&publicationYear=2026&period=01&version=2',
      );
      const [uploaded] = test.files.uploaded;
      expect([uploaded?.address, uploaded?.bytes.equals(archive)]).toEqual([UPLOAD, true]);
    });

    it.each([
      ['ltds.lpn.register.example', 'https://register.example'],
      ['ltds.epn.register.example', ''],
    ])('is published at %s with a location of its own area', async (host, origin) => {
      test.files.outcome = published(true);
      const { headers } = await new Promise<IncomingMessage>((resolve, reject) =>
        request(`${test.adapter.url}${UPLOAD}`, { method: 'PUT', headers: { host } }, resolve)
          .on('error', reject)
          .end('zip'),
      );
      expect(headers.location).toBe(
        `${origin}/grid-modelling/stage3/development-projects/P1?licenceArea=EPN&publicationYear=2026&period=01&version=2`,
      );
    });

    it('returns 200 if it was published before', async () => {
      test.files.outcome = published(false);
      expect((await put('zip')).status).toBe(200);
    });

    it('is published as a base model, which has no project and no archive to read', async () => {
      const base = { ...version, projectId: null };
      test.files.outcome = { outcome: 'published', isNew: true, version: base, warnings: [] };
      const { status, headers, body } = await put('zip');
      expect([status, body, headers.get('location')]).toEqual([
        201,
        expect.objectContaining({ licenceArea: 'EPN', projectId: null, version: 2, warnings: [] }),
        null,
      ]);
    });

    it('may have no media type, as command line tools send it, or that of JSON: its bytes decide', async () => {
      test.files.outcome = published(true);
      expect((await put('zip', {})).status).toBe(201);
      expect((await put('{}', { 'content-type': 'application/json' })).status).toBe(201);
      expect((await put('{}', { 'content-type': '' })).status).toBe(201);
      expect(test.files.uploaded.map(({ bytes }) => bytes.toString())).toEqual(['zip', '{}', '{}']);
    });

    it.each<[string, number, UploadOutcome, string]>([
      [
        'it has no valid address',
        410,
        { outcome: 'gone' },
        'The upload address is unknown, has expired, or was used for another archive, or the credentials of its admin have ended.',
      ],
      ['it is larger than the usual limit', 413, { outcome: 'too-large' }, 'The archive is larger than 192 MiB.'],
      [
        'it is larger than the limit of its address',
        413,
        { outcome: 'too-large', maxBytes: 8 * 192 * 1024 * 1024 },
        'The archive is larger than 1536 MiB.',
      ],
      ['other archives are being published', 503, { outcome: 'busy' }, 'The register is busy with other archives.'],
      [
        'its files contain errors',
        422,
        {
          outcome: 'refused',
          faults: [
            { file: 'EQ.xml', line: 14, message: 'an item has no identifier' },
            { file: 'SC.xml', line: null, message: 'is missing' },
            { file: null, line: null, message: 'the archive has a member beside them' },
          ],
        },
        'EQ.xml, line 14: an item has no identifier\nSC.xml: is missing\nthe archive has a member beside them',
      ],
    ])('is rejected because %s, with %i', async (_, code, outcome, message) => {
      test.files.outcome = outcome;
      const { status, headers, body } = await put('zip');
      expect([status, body]).toEqual([code, { code, message }]);
      expect(headers.get('retry-after')).toBe(code === 503 ? '5' : null);
    });

    it('is rejected, unread, from a client that does not accept JSON, or with another method', async () => {
      expect((await put('zip', { accept: 'text/html' })).status).toBe(406);
      const read = await fetch(`${test.adapter.url}${UPLOAD}`);
      expect([read.status, read.headers.get('allow')]).toEqual([405, 'PUT']);
      expect(await read.json()).toEqual({ code: 405, message: 'The method is not allowed on this path.' });
      expect(test.files.uploaded).toEqual([]);
    });

    it('that is rejected unread does not block the next request on its connection', async () => {
      jest.spyOn(test.files, 'publishAt').mockResolvedValueOnce({ outcome: 'gone' });
      expect((await put(randomBytes(5 * 1024 * 1024))).status).toBe(410);
      test.files.outcome = published(true);
      expect((await put('zip')).status).toBe(201);
    });

    it('is rejected with 429 if its network has sent too many to invalid addresses', async () => {
      test.files.outcome = { outcome: 'limited', retryAfter: 41 };
      const { status, headers, body } = await put('zip');
      expect([status, body, headers.get('retry-after'), headers.get('ratelimit')]).toEqual([
        429,
        { code: 429, message: 'Too many requests to invalid upload addresses from this network.' },
        '41',
        '"requests";r=0;t=41',
      ]);
      expect(test.files.uploaded.map(({ client }) => client)).toEqual(['127.0.0.1']);
    });

    it.each<[string, string, string]>([
      ['its network has sent too many to invalid addresses', 'application/json', '429'],
      ['its client does not accept JSON', 'text/html', '406'],
    ])('is read for a short time only, however fast it arrives, if %s', async (_, accept, status) => {
      const head = `PUT ${UPLOAD} HTTP/1.1\r\nhost: register\r\naccept: ${accept}\r\ncontent-length: 999999999999\r\n\r\n`;
      // A client that keeps sending while the server closes the connection can lose the response: it repeats the request.
      const response = await until(async () => {
        jest.spyOn(test.files, 'publishAt').mockResolvedValueOnce({ outcome: 'limited', retryAfter: 41 });
        const attempt = await flooded(head);
        jest.restoreAllMocks();
        expect(attempt.sent).toBeLessThan(64 * MIB);
        return attempt.response || undefined;
      });
      expect(response).toContain(`HTTP/1.1 ${status} `);
    });

    it('that fails for another reason is reported without that reason', async () => {
      jest.spyOn(test.files, 'publishAt').mockRejectedValueOnce(new Error('the disk is full'));
      expect((await put('zip')).body).toEqual({ code: 500, message: 'Internal error.' });
    });
  });

  describe('a file store in another process', () => {
    let server: FastifyInstance;
    let url: string;
    let remote: FileStore;
    let files: TestFiles;
    const requests: Parameters<typeof remoteFileStore>[1] = {
      get: (target, options) => new Promise((resolve, reject) => get(target, options, resolve).on('error', reject)),
      request,
    };
    beforeAll(async () => {
      ({ files } = test);
      server = fastify({ bodyLimit: 1024 });
      serveFileStore(server, files);
      server.post('/graphql', () => ({}));
      url = await server.listen({ port: 0, host: '127.0.0.1' });
      remote = remoteFileStore(url, requests);
    });
    afterAll(() => server.close());
    const read = async (...[address, range]: Parameters<FileStore['open']>) => {
      const found = await remote.open(address, range);
      return found && buffer(found as Readable);
    };

    it('opens contents by any address, whole or in part, in any storage form', async () => {
      const address = '/content/1.2?x=ü&y#z';
      const bytes = randomBytes(300_000);
      files.contents.set(address, bytes);
      expect((await read(address))?.equals(bytes)).toBe(true);
      expect(await read(address, { start: 5, end: 8 })).toEqual(bytes.subarray(5, 9));
      jest.spyOn(files, 'open').mockResolvedValueOnce(Readable.from([bytes.subarray(0, 9), bytes.subarray(9)]));
      expect((await read(address))?.equals(bytes)).toBe(true);
    });

    it('has no content for an expired address', async () => {
      expect(await read('/content/gone')).toBeUndefined();
    });

    it('streams an archive, and returns its outcome', async () => {
      const archive = randomBytes(2 * 1024 * 1024);
      files.uploaded.length = 0;
      files.outcome = published(true);
      expect(await remote.publishAt(UPLOAD, Readable.from([archive.subarray(0, 9), archive.subarray(9)]))).toEqual(
        published(true),
      );
      expect([files.uploaded[0]?.address, files.uploaded[0]?.bytes.equals(archive)]).toEqual([UPLOAD, true]);
      files.outcome = { outcome: 'refused', faults: [{ file: 'EQ.xml', line: 1, message: 'no' }] };
      expect(await remote.publishAt(UPLOAD, Readable.from(['zip']))).toEqual(files.outcome);
    });

    it('passes a check on, and its outcome back', async () => {
      files.uploaded.length = 0;
      files.checked = {
        ...{ outcome: 'checked', base: null, statementsBefore: 1, statementsAfter: 2 },
        ...{ findingCount: 0, findings: [] },
      };
      expect(await remote.checkAt(UPLOAD, Readable.from(['zip']))).toEqual(files.checked);
      expect(files.uploaded.map(({ address }) => address)).toEqual([UPLOAD]);
    });

    it('receives the address of the client, and limits it by it', async () => {
      files.outcome = { outcome: 'limited', retryAfter: 41 };
      expect(await remote.publishAt(UPLOAD, Readable.from(['zip']), '2001:db8::7')).toEqual(files.outcome);
      await remote.checkAt(UPLOAD, Readable.from(['zip']), '192.0.2.7');
      expect(files.uploaded.map(({ client }) => client)).toEqual(['2001:db8::7', '192.0.2.7']);
    });

    it('reports an outcome while the archive is still arriving, and is sent no more of it', async () => {
      const closed = new Promise<void>((resolve) => {
        jest.spyOn(files, 'publishAt').mockImplementationOnce((_, archive) => {
          (archive as IncomingMessage).socket.once('close', () => resolve());
          return Promise.resolve({ outcome: 'limited', retryAfter: 41 });
        });
      });
      let sent = 0;
      const endless = new Readable({
        read() {
          sent += MIB;
          this.push(Buffer.alloc(MIB));
        },
      });
      expect(await remote.publishAt(UPLOAD, endless, '192.0.2.7')).toEqual({ outcome: 'limited', retryAfter: 41 });
      await closed;
      expect(endless.destroyed).toBe(false);
      expect(sent).toBeLessThan(64 * MIB);
      endless.destroy();
    });

    it('reports an expired address, regardless of the body', async () => {
      jest.spyOn(files, 'publishAt').mockResolvedValueOnce({ outcome: 'gone' });
      const archive = Readable.from([randomBytes(3 * 1024 * 1024)]);
      expect(await remote.publishAt(UPLOAD, archive)).toEqual({ outcome: 'gone' });
    });

    it('aborts an upload whose client disconnects: half an archive is not published', async () => {
      const { started, failed } = interrupted(files);
      const half = new Readable({ read() {} });
      half.push('half');
      const response = remote.publishAt(UPLOAD, half);
      response.catch(() => undefined);
      await started;
      half.destroy(new Error('the client went away'));
      await expect(response).rejects.toMatchObject({ code: 'SYS002' });
      expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    });

    it('is unavailable (SYS002) if it does not respond, fails, or disconnects', async () => {
      const unreachable = remoteFileStore('http://127.0.0.1:1', requests);
      await expect(unreachable.open('/content/1')).rejects.toMatchObject({ code: 'SYS002' });
      await expect(unreachable.publishAt(UPLOAD, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
      jest.spyOn(files, 'open').mockRejectedValueOnce(new Error('broken'));
      await expect(remote.open('/content/1')).rejects.toMatchObject({ code: 'SYS002' });
      jest.spyOn(files, 'publishAt').mockRejectedValueOnce(new Error('broken'));
      await expect(remote.publishAt(UPLOAD, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
      const cut = createServer((socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
      });
      await new Promise<void>((resolve) => void cut.listen(0, '127.0.0.1', resolve));
      const cutStore = remoteFileStore(`http://127.0.0.1:${(cut.address() as AddressInfo).port}`, requests);
      await expect(text((await cutStore.open('/content/1')) as Readable)).rejects.toThrow('aborted');
      await expect(cutStore.publishAt(UPLOAD, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
      cut.close();
    });

    it('is unavailable (SYS002) when its response is not an outcome', async () => {
      for (const response of ['<html>', 'null', '{}', '']) {
        const other = createServer((socket) => {
          socket.once('data', () =>
            socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${response.length}\r\n\r\n${response}`),
          );
        });
        await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
        const store = remoteFileStore(`http://127.0.0.1:${(other.address() as AddressInfo).port}`, requests);
        await expect(store.publishAt(UPLOAD, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
        other.close();
      }
    });

    it('may take as long as five publications, while a read may take one minute', async () => {
      const patience = [ClientRequest, IncomingMessage].map(({ prototype }) => jest.spyOn(prototype, 'setTimeout'));
      files.outcome = published(true);
      await remote.publishAt(UPLOAD, Readable.from(['zip']));
      await remote.open('/content/gone');
      expect(patience.map(({ mock }) => mock.calls[0]?.[0])).toEqual([120 * 60_000, 60_000]);
      jest.restoreAllMocks();
    });

    it('probes the connection of an archive, so that a lost host does not occupy a place for ever', async () => {
      const probed = jest.spyOn(Socket.prototype, 'setKeepAlive');
      files.outcome = published(true);
      await remote.publishAt(UPLOAD, Readable.from(['zip']));
      await remote.checkAt(UPLOAD, Readable.from(['zip']));
      expect(probed.mock.calls.filter(([, delay]) => delay === 30_000)).toEqual([
        [true, 30_000],
        [true, 30_000],
      ]);
      jest.restoreAllMocks();
    });

    it('leaves the body limit of JSON requests unchanged', async () => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        body: JSON.stringify({ long: 'x'.repeat(2048) }),
        headers: { 'content-type': 'application/json' },
      });
      expect(response.status).toBe(413);
    });
  });

  describe('a client that disconnects', () => {
    it('in the middle of its archive receives no response', async () => {
      const { started, failed } = interrupted(test.files);
      const outgoing = request(`${test.adapter.url}${UPLOAD}`, { method: 'PUT', headers: { 'content-length': '100' } });
      outgoing.on('error', () => undefined);
      outgoing.write('half');
      await started;
      outgoing.destroy();
      expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    });
  });
}
