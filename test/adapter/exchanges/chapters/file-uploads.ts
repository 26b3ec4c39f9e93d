import { randomBytes } from 'node:crypto';
import { ClientRequest, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import fastify, { type FastifyInstance } from 'fastify';
import type { FileStore, UploadOutcome } from '../../../../rest-adapter/files/file-store';
import { serveFileStore } from '../../../../rest-adapter/files/file-store-routes';
import { remoteFileStore } from '../../../../rest-adapter/files/remote-file-store';
import { type TestFiles, startFileRoom } from '../../../support/rest-file-room';
import type { TestAdapter } from '../../../support/rest-graph';

export function fileUploads(): void {
  const UPLOAD = '/grid-modelling/uploads/4fGh-_token';
  const version = {
    area: 'EPN',
    publicationYear: 2026,
    period: '01',
    projectId: 'P1',
    version: 2,
    publishedAt: new Date('2026-05-14T09:30:21.417Z'),
  };
  const published = (isNew: boolean): UploadOutcome => ({ outcome: 'published', isNew, version });

  let test: TestAdapter & { files: TestFiles };
  beforeAll(async () => {
    test = await startFileRoom();
  });
  afterAll(() => test.adapter.close());
  beforeEach(() => {
    test.files.uploaded.length = 0;
  });

  /** Makes the store take an archive that will break off: when its first bytes are there, and how reading it ends. */
  function interrupted(files: TestFiles) {
    let tellBegun: () => void;
    let tellFailed: (error: unknown) => void;
    const begun = new Promise<void>((resolve) => (tellBegun = resolve));
    const failed = new Promise<unknown>((resolve) => (tellFailed = resolve));
    jest.spyOn(files, 'publishAt').mockImplementationOnce(async (_, archive) => {
      archive.once('data', tellBegun);
      await buffer(archive).catch(tellFailed);
      return { outcome: 'gone' };
    });
    return { begun, failed };
  }

  async function put(body: Buffer | string, headers: Record<string, string> = { 'content-type': 'application/zip' }) {
    const response = await fetch(`${test.adapter.url}${UPLOAD}`, {
      method: 'PUT',
      body: new Uint8Array(Buffer.from(body)),
      headers,
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
  }

  describe('an archive that is sent to its upload address', () => {
    it('is published: 201, the version, and where it is', async () => {
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
        },
      ]);
      expect(headers.get('location')).toBe(
        '/grid-modelling/stage3/development-projects/P1?licenceArea=EPN&publicationYear=2026&period=01&version=2',
      );
      const [uploaded] = test.files.uploaded;
      expect([uploaded?.address, uploaded?.bytes.equals(archive)]).toEqual([UPLOAD, true]);
    });

    it('is answered 200 when it was published before', async () => {
      test.files.outcome = published(false);
      expect((await put('zip')).status).toBe(200);
    });

    it('may come without a media type, as command line tools send it, or with that of JSON: its bytes decide', async () => {
      test.files.outcome = published(true);
      expect((await put('zip', {})).status).toBe(201);
      expect((await put('{}', { 'content-type': 'application/json' })).status).toBe(201);
      expect((await put('{}', { 'content-type': '' })).status).toBe(201);
      expect(test.files.uploaded.map(({ bytes }) => bytes.toString())).toEqual(['zip', '{}', '{}']);
    });

    it.each<[UploadOutcome, number, string]>([
      [{ outcome: 'gone' }, 410, 'The upload address is unknown, has expired, or was used for another archive.'],
      [{ outcome: 'too-large' }, 413, 'The archive is larger than 192 MiB.'],
      [{ outcome: 'busy' }, 503, 'Other archives are being published.'],
      [
        {
          outcome: 'refused',
          faults: [
            { file: 'EQ.xml', line: 14, message: 'an item has no identifier' },
            { file: 'SC.xml', line: null, message: 'is missing' },
            { file: null, line: null, message: 'the archive has a member beside them' },
          ],
        },
        422,
        'EQ.xml, line 14: an item has no identifier\nSC.xml: is missing\nthe archive has a member beside them',
      ],
    ])('is refused as %j with %i', async (outcome, code, message) => {
      test.files.outcome = outcome;
      const { status, headers, body } = await put('zip');
      expect([status, body]).toEqual([code, { code, message }]);
      expect(headers.get('retry-after')).toBe(code === 503 ? '5' : null);
    });

    it('is not looked at by who does not take JSON, or by another method', async () => {
      expect((await put('zip', { accept: 'text/html' })).status).toBe(406);
      const read = await fetch(`${test.adapter.url}${UPLOAD}`);
      expect([read.status, read.headers.get('allow')]).toEqual([405, 'PUT']);
      expect(await read.json()).toEqual({ code: 405, message: 'The method is not allowed on this path.' });
      expect(test.files.uploaded).toEqual([]);
    });

    it('that is refused unread does not stand in the way of the next request on its connection', async () => {
      jest.spyOn(test.files, 'publishAt').mockResolvedValueOnce({ outcome: 'gone' });
      expect((await put(randomBytes(5 * 1024 * 1024))).status).toBe(410);
      test.files.outcome = published(true);
      expect((await put('zip')).status).toBe(201);
    });

    it('that fails for another reason is told without it', async () => {
      jest.spyOn(test.files, 'publishAt').mockRejectedValueOnce(new Error('the disk is full'));
      expect((await put('zip')).body).toEqual({ code: 500, message: 'Internal error.' });
    });
  });

  describe('a file store of another process', () => {
    let server: FastifyInstance;
    let url: string;
    let remote: FileStore;
    let files: TestFiles;
    beforeAll(async () => {
      ({ files } = test);
      server = fastify({ bodyLimit: 1024 });
      serveFileStore(server, files);
      server.post('/graphql', () => ({}));
      url = await server.listen({ port: 0, host: '127.0.0.1' });
      remote = remoteFileStore(url);
    });
    afterAll(() => server.close());
    const read = async (...[address, range]: Parameters<FileStore['open']>) => {
      const found = await remote.open(address, range);
      return found && buffer(found as Readable);
    };

    it('opens contents by any address, whole or in part, however they are kept', async () => {
      const address = '/content/1.2?x=ü&y#z';
      const bytes = randomBytes(300_000);
      files.contents.set(address, bytes);
      expect((await read(address))?.equals(bytes)).toBe(true);
      expect(await read(address, { start: 5, end: 8 })).toEqual(bytes.subarray(5, 9));
      jest.spyOn(files, 'open').mockResolvedValueOnce(Readable.from([bytes.subarray(0, 9), bytes.subarray(9)]));
      expect((await read(address))?.equals(bytes)).toBe(true);
    });

    it('knows nothing of an address that has expired', async () => {
      expect(await read('/content/gone')).toBeUndefined();
    });

    it('passes an archive on as it comes, and its outcome back', async () => {
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

    it('tells that an address is gone, whatever comes after it', async () => {
      jest.spyOn(files, 'publishAt').mockResolvedValueOnce({ outcome: 'gone' });
      const archive = Readable.from([randomBytes(3 * 1024 * 1024)]);
      expect(await remote.publishAt(UPLOAD, archive)).toEqual({ outcome: 'gone' });
    });

    it('ends what a client gave up: nothing is published of half an archive', async () => {
      const { begun, failed } = interrupted(files);
      const half = new Readable({ read() {} });
      half.push('half');
      const answer = remote.publishAt(UPLOAD, half);
      answer.catch(() => undefined);
      await begun;
      half.destroy(new Error('the client went away'));
      await expect(answer).rejects.toMatchObject({ code: 'SYS002' });
      expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    });

    it('is unavailable (SYS002) when it does not answer, fails, or ends in the middle', async () => {
      const nobody = remoteFileStore('http://127.0.0.1:1');
      await expect(nobody.open('/content/1')).rejects.toMatchObject({ code: 'SYS002' });
      await expect(nobody.publishAt(UPLOAD, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
      jest.spyOn(files, 'open').mockRejectedValueOnce(new Error('broken'));
      await expect(remote.open('/content/1')).rejects.toMatchObject({ code: 'SYS002' });
      jest.spyOn(files, 'publishAt').mockRejectedValueOnce(new Error('broken'));
      await expect(remote.publishAt(UPLOAD, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
      const cut = createServer((socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
      });
      await new Promise<void>((resolve) => void cut.listen(0, '127.0.0.1', resolve));
      const cutStore = remoteFileStore(`http://127.0.0.1:${(cut.address() as AddressInfo).port}`);
      await expect(text((await cutStore.open('/content/1')) as Readable)).rejects.toThrow('aborted');
      await expect(cutStore.publishAt(UPLOAD, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
      cut.close();
    });

    it('is unavailable (SYS002) when it answers something else than an outcome', async () => {
      for (const answer of ['<html>', 'null', '{}', '']) {
        const other = createServer((socket) => {
          socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`));
        });
        await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
        const store = remoteFileStore(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
        await expect(store.publishAt(UPLOAD, Readable.from(['zip']))).rejects.toMatchObject({ code: 'SYS002' });
        other.close();
      }
    });

    it('is waited for as long as five publications may take, and a content not longer than a minute', async () => {
      const patience = jest.spyOn(ClientRequest.prototype, 'setTimeout');
      files.outcome = published(true);
      await remote.publishAt(UPLOAD, Readable.from(['zip']));
      await remote.open('/content/gone');
      expect(patience.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([15 * 60_000, 60_000]);
      patience.mockRestore();
    });

    it('is served to services that ask for JSON as ever', async () => {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        body: JSON.stringify({ long: 'x'.repeat(2048) }),
        headers: { 'content-type': 'application/json' },
      });
      expect(response.status).toBe(413);
    });
  });

  describe('a client that goes away', () => {
    it('in the middle of its archive is nobody to answer', async () => {
      const { begun, failed } = interrupted(test.files);
      const outgoing = request(`${test.adapter.url}${UPLOAD}`, { method: 'PUT', headers: { 'content-length': '100' } });
      outgoing.on('error', () => undefined);
      outgoing.write('half');
      await begun;
      outgoing.destroy();
      expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    });
  });
}
