import { once } from 'node:events';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { RegisterError } from '../../../../schema/register-error';
import {
  ARCHIVE,
  EQ,
  JSON_VIEW,
  PUBLISHED_AT,
  RDF,
  type TestFiles,
  ZIP,
  sha256,
  startFileFixture,
} from '../../../support/rest-file-fixture';
import type { TestAdapter } from '../../../support/rest-graph';
import { shortenUnreadTime, unconnected, unreadRequest } from '../../../support/unread-response';

export function files(): void {
  const STAGE3 = '/grid-modelling/stage3/development-projects';

  let test: TestAdapter & { files: TestFiles };
  beforeAll(async () => {
    test = await startFileFixture({ trustProxy: true });
  });
  afterAll(() => test.adapter.close());
  beforeEach(() => {
    test.graph.calls.length = 0;
    test.files.opened.length = 0;
  });

  const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    test.adapter.app.inject({ method, url, headers });

  describe('a file of a development project', () => {
    it('is returned byte by byte as published, version 1 by default', async () => {
      const { statusCode, headers, rawPayload } = await get(EQ);
      expect([statusCode, rawPayload.equals(RDF)]).toEqual([200, true]);
      expect(headers).toMatchObject({
        'content-type': 'application/rdf+xml; charset=utf-8',
        'content-length': String(RDF.length),
        'content-disposition': 'inline; filename="EQ.xml"',
        etag: `"${sha256(RDF)}"`,
        'last-modified': 'Thu, 14 May 2026 09:30:21 GMT',
        'accept-ranges': 'bytes',
        vary: 'Accept, Accept-Encoding',
        'cache-control': 'public, max-age=86400, immutable',
        'x-content-type-options': 'nosniff',
      });
      expect(headers['transaction-id']).toMatch(/^tid_[0-9a-f]{24}$/);
      expect(test.graph.variables).toEqual({
        projectId: 'P1',
        cimFile: 'EQ_XML',
        licenceArea: 'EPN',
        publicationYear: 2026,
        period: '01',
        version: 1,
      });
    });

    it.each([
      [undefined, 'application/rdf+xml'],
      ['', 'application/rdf+xml'],
      ['*/*', 'application/rdf+xml'],
      ['application/*', 'application/rdf+xml'],
      ['application/rdf+xml; charset=utf-8', 'application/rdf+xml'],
      ['application/xml', 'application/xml'],
      ['text/xml', 'text/xml'],
      ['text/*', 'text/xml'],
      ['application/json', 'application/json'],
      ['application/json;charset=utf-8', 'application/json'],
      ['application/json;q=0.5, text/xml;q=0.4', 'application/json'],
      ['application/json;q=0.2, application/rdf+xml;q=0.9', 'application/rdf+xml'],
      ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/xml'],
      ['application/rdf+xml;q=0, */*', 'application/xml'],
    ])('for Accept: %s is returned as %s', async (accept, type) => {
      const { statusCode, headers, rawPayload } = await get(EQ, accept === undefined ? {} : { accept });
      expect([statusCode, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
      expect(rawPayload.equals(type === 'application/json' ? JSON_VIEW : RDF)).toBe(true);
    });

    it.each(['text/html', 'application/zip', 'application/rdf+xml;q=0', 'application/json; charset=latin1'])(
      'for Accept: %s is rejected with 406',
      async (accept) => {
        const { statusCode, body, headers } = await get(EQ, { accept });
        expect([statusCode, JSON.parse(body)]).toEqual([
          406,
          { code: 406, message: 'None of the accepted media types is available.' },
        ]);
        expect(headers['cache-control']).toBe('no-store');
      },
    );

    it('has the JSON view as another representation: its own ETag and name', async () => {
      const { headers } = await get(EQ, { accept: 'application/json' });
      expect(headers['etag']).toBe(`"${sha256(JSON_VIEW)}"`);
      expect(headers['content-disposition']).toBe('inline; filename="EQ.json"');
    });

    it.each([
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'gzip'],
      ['*', 'gzip'],
      ['br', undefined],
      ['gzip;q=0', undefined],
      ['identity, gzip;q=0.5', undefined],
    ])('for Accept-Encoding: %s is encoded as %s', async (accepted, coding) => {
      const { headers, rawPayload } = await get(EQ, { 'accept-encoding': accepted });
      expect(headers['content-encoding']).toBe(coding);
      expect(headers['etag']).toBe(`"${sha256(coding ? gzipSync(RDF) : RDF)}"`);
      expect((coding ? gunzipSync(rawPayload) : rawPayload).equals(RDF)).toBe(true);
    });

    it('is not compressed if that would not make it smaller', async () => {
      const { headers } = await get(EQ, { 'accept-encoding': 'gzip', accept: 'application/json' });
      expect(headers['content-encoding']).toBeUndefined();
    });

    it('returns the headers of GET without a body for HEAD, without reading the file', async () => {
      const [whole, head] = [await get(EQ), await get(EQ, {}, 'HEAD')];
      const { date: _, 'transaction-id': __, ...headers } = whole.headers;
      expect([head.statusCode, head.rawPayload.length]).toEqual([200, 0]);
      expect(head.headers).toMatchObject(headers);
      expect(test.files.opened).toHaveLength(1);
    });

    it('is measured and logged by its route', async () => {
      test.lines.length = 0;
      await get(EQ);
      expect(test.lines.at(-1)).toMatchObject({ route: `${STAGE3}/{projectId}/{cimFile}`, status: 200 });
    });
  });

  describe('a client that reads nothing more of a file', () => {
    it('is disconnected within a minute, and the file is closed', async () => {
      const { server } = test.adapter.app;
      const { timeout } = server;
      shortenUnreadTime(server);
      const content = new Readable({ read: () => void content.push(Buffer.alloc(64 * 1024)) });
      jest.spyOn(test.files, 'open').mockResolvedValueOnce(content);
      const closed = once(content, 'close');
      const client = unreadRequest(server, `GET ${EQ}`);
      await closed;
      await unconnected(server);
      client.destroy();
      server.timeout = timeout;
    });
  });

  describe('the archive of a development project', () => {
    it('is returned as published, as an attachment with its name', async () => {
      const { statusCode, headers, rawPayload } = await get(ARCHIVE, { 'accept-encoding': 'gzip' });
      expect([statusCode, rawPayload.equals(ZIP)]).toEqual([200, true]);
      expect(headers).toMatchObject({
        'content-type': 'application/zip',
        'content-disposition': 'attachment; filename="LTDS_EPN_2026-01_P1_v1.zip"',
        etag: `"${sha256(ZIP)}"`,
      });
      expect(headers['content-encoding']).toBeUndefined();
    });

    it('is available as zip only', async () => {
      expect((await get(ARCHIVE, { accept: 'application/json' })).statusCode).toBe(406);
      expect((await get(ARCHIVE, { accept: 'application/*' })).statusCode).toBe(200);
    });
  });

  describe('a conditional request for a changed file', () => {
    const etag = `"${sha256(RDF)}"`;

    it.each<[string, Record<string, string>, number]>([
      ['its ETag', { 'if-none-match': etag }, 304],
      ['its ETag, weak', { 'if-none-match': `W/${etag}` }, 304],
      ['its ETag among others', { 'if-none-match': `"x", ${etag}` }, 304],
      ['any', { 'if-none-match': '*' }, 304],
      ['its ETag, from a client that sends no-cache', { 'if-none-match': etag, 'cache-control': 'no-cache' }, 304],
      ['another ETag', { 'if-none-match': '"x"' }, 200],
      ['the ETag of the JSON view', { 'if-none-match': `"${sha256(JSON_VIEW)}"` }, 200],
      ['its ETag, with gzip accepted', { 'if-none-match': etag, 'accept-encoding': 'gzip' }, 200],
      ['its Last-Modified', { 'if-modified-since': 'Thu, 14 May 2026 09:30:21 GMT' }, 304],
      ['an earlier date', { 'if-modified-since': 'Thu, 14 May 2026 09:30:20 GMT' }, 200],
      ['an invalid date', { 'if-modified-since': 'yesterday' }, 200],
      [
        'its Last-Modified and another ETag',
        { 'if-none-match': '"x"', 'if-modified-since': PUBLISHED_AT.toUTCString() },
        200,
      ],
    ])('with %s returns 304 if it still applies', async (_, headers, status) => {
      const response = await get(EQ, headers);
      expect(response.statusCode).toBe(status);
      if (status === 304) {
        expect(response.rawPayload).toHaveLength(0);
        expect(response.headers).toMatchObject({ etag, vary: 'Accept, Accept-Encoding' });
        expect(response.headers['cache-control']).toBe('public, max-age=86400, immutable');
        expect(test.files.opened).toEqual([]);
      }
    });
  });

  describe('a conditional request for an unchanged file', () => {
    const etag = `"${sha256(RDF)}"`;

    it.each<[string, Record<string, string>, number]>([
      ['its ETag', { 'if-match': etag }, 200],
      ['its ETag among others', { 'if-match': `"x", ${etag}` }, 200],
      ['any', { 'if-match': '*' }, 200],
      ['another ETag', { 'if-match': '"x"' }, 412],
      ['its ETag, weak', { 'if-match': `W/${etag}` }, 412],
      ['the ETag of the JSON view', { 'if-match': `"${sha256(JSON_VIEW)}"` }, 412],
      ['its ETag, with gzip accepted', { 'if-match': etag, 'accept-encoding': 'gzip' }, 412],
      ['another ETag, for a part', { 'if-match': '"x"', range: 'bytes=0-9' }, 412],
      ['its Last-Modified', { 'if-unmodified-since': 'Thu, 14 May 2026 09:30:21 GMT' }, 200],
      ['an earlier date', { 'if-unmodified-since': 'Thu, 14 May 2026 09:30:20 GMT' }, 412],
      ['an invalid date', { 'if-unmodified-since': 'yesterday' }, 200],
      [
        'its ETag and an earlier date',
        { 'if-match': etag, 'if-unmodified-since': 'Thu, 14 May 2026 09:00:00 GMT' },
        200,
      ],
    ])('with %s has the status of its precondition', async (_, headers, status) => {
      const response = await get(EQ, headers);
      expect(response.statusCode).toBe(status);
      if (status === 412) expect(Object.keys(response.json())).toEqual(['code', 'message']);
    });
  });

  describe('a range of a file', () => {
    const size = RDF.length;
    const etag = `"${sha256(RDF)}"`;

    it.each([
      ['bytes=0-9', 0, 9],
      ['bytes=10-', 10, size - 1],
      ['bytes=-5', size - 5, size - 1],
      [`bytes=5-${size + 100}`, 5, size - 1],
      [`bytes=-${size + 100}`, 0, size - 1],
    ])('for Range: %s is returned with 206', async (range, start, end) => {
      const { statusCode, headers, rawPayload } = await get(EQ, { range });
      expect([statusCode, headers['content-range']]).toEqual([206, `bytes ${start}-${end}/${size}`]);
      expect([headers['content-length'], headers['etag']]).toEqual([String(end - start + 1), etag]);
      expect(rawPayload.equals(RDF.subarray(start, end + 1))).toBe(true);
    });

    it('refers to the uncompressed bytes', async () => {
      const { headers, rawPayload } = await get(EQ, { range: 'bytes=0-3', 'accept-encoding': 'gzip' });
      expect([headers['content-encoding'], rawPayload.equals(RDF.subarray(0, 4))]).toEqual([undefined, true]);
    });

    it.each([`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, 'bytes=-0'])(
      'for Range: %s is rejected with 416 and the size',
      async (range) => {
        const { statusCode, headers, body } = await get(EQ, { range });
        expect([statusCode, headers['content-range']]).toEqual([416, `bytes */${size}`]);
        expect(JSON.parse(body)).toEqual({ code: 416, message: `The file has ${size} bytes.` });
      },
    );

    it.each([
      'bytes=0-1,4-5',
      'items=0-1',
      'items=9999999-',
      'bytes=x',
      'bytes=-',
      'bytes=5-2',
      'bytes=99999-5',
      'bytes',
    ])('is ignored for Range: %s', async (range) => {
      const { statusCode, rawPayload } = await get(EQ, { range });
      expect([statusCode, rawPayload.length]).toEqual([200, size]);
    });

    it.each([
      ['is returned alone', 'its ETag', etag, 206],
      ['is returned alone', 'its time of modification', 'Thu, 14 May 2026 09:30:21 GMT', 206],
      ['is ignored', 'another ETag', '"x"', 200],
      ['is ignored', 'its ETag as a weak one', `W/${etag}`, 200],
      ['is ignored', 'an earlier time', 'Thu, 14 May 2026 09:30:20 GMT', 200],
    ])('%s if the header If-Range contains %s', async (_, __, ifRange, status) => {
      expect((await get(EQ, { range: 'bytes=0-3', 'if-range': ifRange })).statusCode).toBe(status);
    });

    it('is ignored for HEAD', async () => {
      const { statusCode, headers } = await get(EQ, { range: 'bytes=0-3' }, 'HEAD');
      expect([statusCode, headers['content-length']]).toEqual([200, String(size)]);
    });
  });

  describe('the licence area', () => {
    const requestedArea = async (url: string, headers: Record<string, string>) => {
      await get(url, headers);
      return (test.graph.variables as { licenceArea?: string } | null)?.licenceArea;
    };

    it.each([
      ['ltds.spn.example', {}, '', 'spn'],
      ['LTDS.SPN.example:4001', {}, '', 'SPN'],
      ['www.ltds.npgy.example', {}, '', 'npgy'],
      ['ltds.spn.example', {}, '&licenceArea=LPN', 'spn'],
      ['register.example', {}, '&licenceArea=LPN', 'LPN'],
      ['register.example', {}, '', 'EPN'],
      ['notltds.spn.example', {}, '', 'EPN'],
      ['ltds.', {}, '', 'EPN'],
      ['ltds.example', {}, '&licenceArea=LPN', 'LPN'],
      ['ltds.example:4001', {}, '&licenceArea=LPN', 'LPN'],
      ['ltds.localhost:4001', {}, '', 'EPN'],
      ['register.example', { 'x-forwarded-host': 'ltds.swest.example' }, '&licenceArea=LPN', 'swest'],
      ['ltds.spn.example', { 'x-forwarded-host': 'register.example' }, '&licenceArea=LPN', 'LPN'],
    ])(
      'of a request to the host "%s" with the forwarding headers %j and the query "%s" is %s',
      async (host, forwarded, query, area) => {
        expect(await requestedArea(`${EQ}${query}`, { host, ...forwarded })).toBe(area);
        expect(await requestedArea(`${ARCHIVE}${query}`, { host, ...forwarded })).toBe(area);
      },
    );

    it('of a list is optional, without a default', async () => {
      test.graph.roots = { ...test.graph.roots, developmentProjects: () => ({ nodes: [], nextCursor: null }) };
      expect(await requestedArea(STAGE3, {})).toBeUndefined();
      expect(await requestedArea(STAGE3, { host: 'ltds.spn.example' })).toBe('spn');
      expect(await requestedArea(`${STAGE3}?licenceArea=LPN`, {})).toBe('LPN');
    });

    it('is required; a forwarded host is accepted from a trusted proxy only', async () => {
      const alone = await startFileFixture({ ltdsDefaultArea: undefined });
      try {
        const headers = { host: 'register.example', 'x-forwarded-host': 'ltds.epn.example' };
        const { body } = await alone.adapter.app.inject({ url: EQ, headers });
        expect(JSON.parse(body)).toEqual({ code: 400, message: 'query parameter licenceArea: is required' });
      } finally {
        await alone.adapter.close();
      }
    });
  });

  describe('errors of Interface C', () => {
    const NOT_PUBLISHED =
      'Nothing is published for this licence area, publication year, period, development project and version.';

    it.each<[string, string, number, string]>([
      ['an unknown area', `${EQ}&licenceArea=XYZ`, 404, NOT_PUBLISHED],
      ['an unknown project', EQ.replace('P1', 'P2'), 404, NOT_PUBLISHED],
      ['an unknown version', `${EQ}&version=2`, 404, NOT_PUBLISHED],
      ['a missing archive', `${ARCHIVE}&version=2`, 404, NOT_PUBLISHED],
      ['an unknown file', EQ.replace('EQ.xml', 'TP.xml'), 404, 'Not found.'],
      ['a file in another case', EQ.replace('EQ.xml', 'eq.xml'), 404, 'Not found.'],
      ['an unknown path', '/grid-modelling/stage4', 404, 'Not found.'],
      [
        'all missing parameters',
        `${STAGE3}/P1/EQ.xml`,
        400,
        'query parameter publicationYear: is required\nquery parameter period: is required',
      ],
      ['no period', EQ.replace('&period=01', ''), 400, 'query parameter period: is required'],
      ['another period', EQ.replace('=01', '=03'), 400, 'query parameter period: must be one of 01, 02'],
      ['a period without its zero', EQ.replace('=01', '=1'), 400, 'query parameter period: must be one of 01, 02'],
      [
        'a year of two digits',
        EQ.replace('2026', '26'),
        400,
        'query parameter publicationYear: must match pattern "^[0-9]{4}$"',
      ],
      [
        'a year of five digits',
        EQ.replace('2026', '20266'),
        400,
        'query parameter publicationYear: must match pattern "^[0-9]{4}$"',
      ],
      [
        'a year in words',
        EQ.replace('2026', 'now'),
        400,
        'query parameter publicationYear: must match pattern "^[0-9]{4}$"',
      ],
      ['version 0', `${EQ}&version=0`, 400, 'query parameter version: must be at least 1'],
      ['a version of ten digits', `${EQ}&version=2147483647`, 404, NOT_PUBLISHED],
      [
        'a version that exceeds 32 bits',
        `${EQ}&version=2147483648`,
        400,
        'query parameter version: must be at most 2147483647',
      ],
      ['version 1.5', `${EQ}&version=1.5`, 400, 'query parameter version: must be an integer'],
      ['two versions', `${EQ}&version=1&version=2`, 400, 'query parameter version: is supplied more than once'],
      [
        'a project that starts with a dot',
        EQ.replace('P1', '.P1'),
        400,
        'path parameter projectId: must match pattern "^[A-Za-z0-9][A-Za-z0-9._-]{0,23}$"',
      ],
      [
        'a project of 25 characters, and an unknown period',
        EQ.replace('P1', 'a'.repeat(25)).replace('=01', '=x'),
        400,
        'path parameter projectId: must match pattern "^[A-Za-z0-9][A-Za-z0-9._-]{0,23}$"\nquery parameter period: must be one of 01, 02',
      ],
      ['a limit above the maximum', `${STAGE3}?limit=501`, 400, 'query parameter limit: must be at most 500'],
    ])('for %s consist of a code and a message only', async (_, url, code, message) => {
      const { statusCode, headers, body } = await get(url);
      expect([statusCode, JSON.parse(body)]).toEqual([code, { code, message }]);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
    });

    it('have the same form for methods', async () => {
      const response = await test.adapter.app.inject({ method: 'POST', url: EQ, payload: '{' });
      expect([response.statusCode, response.headers['allow']]).toEqual([405, 'GET, HEAD']);
      expect(JSON.parse(response.body)).toEqual({ code: 405, message: 'The method is not allowed on this path.' });
    });

    it('do not affect the envelope of other paths', async () => {
      expect(Object.keys((await get('/grid-modelling?x')).json())).toEqual(['code', 'message']);
      expect((await get('/grid-modelling-not')).json()).toHaveProperty('errors');
      expect((await get('/v1/nothing')).json()).toHaveProperty('errors');
    });

    it('have Retry-After', async () => {
      const { publishedFile } = test.graph.roots;
      test.graph.roots = {
        ...test.graph.roots,
        publishedFile: () => {
          throw new RegisterError('LIM002', undefined, { retryAfter: 12 });
        },
      };
      const response = await get(EQ);
      test.graph.roots = { ...test.graph.roots, publishedFile } as never;
      expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '12']);
      expect(JSON.parse(response.body)).toEqual({ code: 429, message: 'Too many requests.' });
    });

    it('are 503 for a content that is temporarily unavailable, and 500 for a damaged one', async () => {
      const { contents } = test.files;
      const kept = new Map(contents);
      contents.clear();
      const absent = await get(EQ);
      jest.spyOn(test.files, 'open').mockRejectedValueOnce(new Error('broken'));
      const broken = await get(EQ);
      kept.forEach((bytes, address) => contents.set(address, bytes));
      expect([absent.statusCode, absent.headers['retry-after']]).toEqual([503, '1']);
      expect([broken.statusCode, JSON.parse(broken.body)]).toEqual([500, { code: 500, message: 'Internal error.' }]);
    });
  });
}
