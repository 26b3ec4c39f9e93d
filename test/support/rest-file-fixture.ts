import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { CheckOutcome, FileStore, UploadOutcome } from '../../rest-adapter/files/file-store';
import { type TestAdapter, startTestAdapter } from './rest-graph';

/** The stored bytes of a published file, long enough to be compressed. */
export const RDF = Buffer.from(`\u{feff}<?xml version="1.0"?>\n<rdf:RDF>${'<!-- £ -->'.repeat(50)}</rdf:RDF>\n`);
/** Its JSON view. */
export const JSON_VIEW = Buffer.from('{"header":null}');
/** The bytes of an archive. */
export const ZIP = Buffer.from('PK\u{5}\u{6}and so on');
/** The publication time. */
export const PUBLISHED_AT = new Date('2026-05-14T09:30:21.417Z');
/** The path of the file with its query. */
export const EQ = '/grid-modelling/stage3/development-projects/P1/EQ.xml?publicationYear=2026&period=01';
/** The path of the archive with its query. */
export const ARCHIVE = '/grid-modelling/stage3/development-projects/P1?publicationYear=2026&period=01';

/** SHA-256, hexadecimal. */
export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The test's file store: contents by address, and its response to uploads. */
export class TestFiles implements FileStore {
  readonly contents = new Map<string, Buffer>();
  readonly opened: string[] = [];
  readonly uploaded: { address: string; bytes: Buffer; client: string | undefined }[] = [];
  outcome: UploadOutcome = { outcome: 'gone' };
  checked: CheckOutcome = { outcome: 'gone' };

  open(address: string, range?: { start: number; end: number }): Promise<Buffer | Readable | undefined> {
    this.opened.push(address);
    return Promise.resolve(this.contents.get(address)?.subarray(range?.start, range && range.end + 1));
  }

  async publishAt(address: string, archive: Readable, client?: string) {
    this.uploaded.push({ address, bytes: await buffer(archive), client });
    return this.outcome;
  }

  async checkAt(address: string, archive: Readable, client?: string) {
    this.uploaded.push({ address, bytes: await buffer(archive), client });
    return this.checked;
  }

  /** Stores a content and returns its description as the graph does. */
  representation(view: 'RDF' | 'JSON' | 'ZIP', encoding: 'IDENTITY' | 'GZIP', bytes: Buffer) {
    const address = `/content/${view}-${encoding}`;
    this.contents.set(address, bytes);
    return { view, encoding, size: bytes.length, sha256: sha256(bytes), address };
  }
}

/** Starts an adapter with one published project: P1 of EPN, version 1. */
export async function startFileFixture(
  settings: Parameters<typeof startTestAdapter>[0] = {},
): Promise<TestAdapter & { files: TestFiles }> {
  const files = new TestFiles();
  const test = await startTestAdapter({ ltdsDefaultArea: 'EPN', ...settings }, files);
  const model = {
    name: 'EQ.xml',
    publishedAt: PUBLISHED_AT,
    representations: [
      files.representation('RDF', 'IDENTITY', RDF),
      files.representation('RDF', 'GZIP', gzipSync(RDF)),
      files.representation('JSON', 'IDENTITY', JSON_VIEW),
    ],
  };
  const archive = {
    name: 'LTDS_EPN_2026-01_P1_v1.zip',
    publishedAt: PUBLISHED_AT,
    representations: [files.representation('ZIP', 'IDENTITY', ZIP)],
  };
  type Place = { area: string; projectId: string; version: number };
  const isPublished = ({ area, projectId, version }: Place) =>
    /^epn$/i.test(area) && projectId === 'P1' && version === 1;
  test.graph.roots = {
    publishedFile: (place: Place) => (isPublished(place) ? model : null),
    publishedArchive: (place: Place) => (isPublished(place) ? archive : null),
  } as never;
  return { ...test, files };
}
