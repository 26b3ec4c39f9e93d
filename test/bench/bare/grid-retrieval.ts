import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { transactionId } from './responses';

interface FileRow {
  readonly content: number;
  readonly view: 'rdf' | 'json';
  readonly encoding: 'identity' | 'gzip';
  readonly size: number;
  readonly sha256: string;
  readonly published_at: Date;
}

/** Selects all representations of a file, with the columns that the product selects. */
const FILE = {
  name: 'file',
  text: `select c.number as content, c.view, c.encoding, c.size, encode(c.sha256, 'hex') as sha256, v.published_at
    from grid_models.development_project p
      join grid_models.project_version v on v.project = p.id and v.version = $5
      join grid_models.content c on c.project_version = v.id and c.member = $6
    where p.area = $1 and p.publication_year = $2::integer and p.period = $3 and p.project_id = $4
    order by c.number`,
};
const CHUNKS = {
  name: 'chunks',
  text: 'select bytes from grid_models.content_chunk where content = $1 order by number',
};

interface RequestedFile {
  Params: { projectId: string; cimFile: string };
  Querystring: { licenceArea: string; publicationYear: string; period: string };
}

/**
 * Serves GET …/development-projects/{projectId}/{cimFile} of version 1 as RDF/XML, with the product's cache: whole
 * contents by number.
 */
export function addRetrieval(app: FastifyInstance, pool: Pool): void {
  const kept = new LRUCache<number, Buffer>({
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: ({ length }) => length || 1,
  });
  const bytesOf = async (content: number) => {
    const known = kept.get(content);
    if (known) return known;
    const { rows } = await pool.query<{ bytes: Buffer }>({ ...CHUNKS, values: [content] });
    const bytes = Buffer.concat(rows.map((row) => row.bytes));
    kept.set(content, bytes);
    return bytes;
  };
  app.get<RequestedFile>(
    '/grid-modelling/stage3/development-projects/:projectId/:cimFile',
    async ({ params, query }, reply) => {
      const place = [query.licenceArea, query.publicationYear, query.period, params.projectId, 1];
      const { rows } = await pool.query<FileRow>({ ...FILE, values: [...place, params.cimFile.replace('.xml', '')] });
      const file = rows.find(({ view, encoding }) => view === 'rdf' && encoding === 'identity');
      if (!file) return reply.code(404).send({ code: 404, message: 'Not found.' });
      const headers = {
        'content-type': 'application/rdf+xml; charset=utf-8',
        'content-disposition': `inline; filename="${params.cimFile}"`,
        'content-length': String(file.size),
        etag: `"${file.sha256}"`,
        'last-modified': file.published_at.toUTCString(),
        'transaction-id': transactionId(),
      };
      return reply.headers(headers).send(await bytesOf(file.content));
    },
  );
}
