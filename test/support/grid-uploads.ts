import { documentedFetch } from './documented-fetch';
import { graphAs } from './graph';
import type { SharedRegister } from './register';

/** Where an archive is published. */
export interface GridPlace {
  readonly area: string;
  readonly publicationYear: number;
  readonly period: string;
  readonly projectId: string;
}

/** Publishes an archive as an admin does: a one-time address from the graph, the zip to Interface C. */
export async function publishGrid(register: SharedRegister, place: GridPlace, archive: Buffer): Promise<void> {
  const admin = await graphAs(register, 'admin');
  const { data } = await admin(
    'mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }',
    { input: place },
  );
  const response = await documentedFetch(new URL(data.prepareGridPublication.address, register.rest), {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: new Uint8Array(archive),
  });
  if (response.status !== 201) throw new Error(`the archive was answered ${response.status}: ${await response.text()}`);
}
