import { createHash } from 'node:crypto';
import { graphAs } from './graph';
import type { SharedRegister } from './register';

/** A development project as Interface C identifies it. */
export interface GridProject {
  readonly area: string;
  readonly publicationYear: number;
  readonly period: string;
  readonly projectId: string;
}

/** A downloaded file. */
export interface Download {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, as hex. */
  readonly digest: string;
}

const PREPARE = 'mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }';

/** Requests an upload address as an admin and sends the archive there. Returns the status. */
export async function publishGrid(register: SharedRegister, project: GridProject, archive: Buffer): Promise<number> {
  const admin = await graphAs(register, 'admin');
  const { data } = await admin(PREPARE, { input: project });
  const { status } = await fetch(`${register.rest}${data.prepareGridPublication.address}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: new Uint8Array(archive),
  });
  return status;
}

/** Downloads from Interface C: the archive for the path `''`, a member for `/EQ.xml`. */
export async function download(
  { rest }: Pick<SharedRegister, 'rest'>,
  { area, publicationYear, period, projectId }: GridProject,
  path: string,
  version: number,
  headers: Record<string, string> = {},
): Promise<Download> {
  const query = `licenceArea=${area}&publicationYear=${publicationYear}&period=${period}&version=${version}`;
  const url = `${rest}/grid-modelling/stage3/development-projects/${projectId}${path}?${query}`;
  const response = await fetch(url, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { status: response.status, headers: response.headers, bytes, digest };
}
