import { documentedFetch } from './documented-fetch';
import { graphAs } from './graph';
import type { SharedRegister } from './register';

/** Identifies a development project. */
export interface GridProjectKey {
  readonly area: string;
  readonly publicationYear: number;
  readonly period: string;
  readonly projectId: string;
}

/** Publishes a base model as an admin. */
export async function publishBaseModel(
  register: SharedRegister,
  { area, publicationYear, period }: Omit<GridProjectKey, 'projectId'>,
  archive: Buffer,
): Promise<void> {
  const admin = await graphAs(register, 'admin');
  const { data } = await admin(
    'mutation ($input: BaseModelPublicationInput!) { prepareBaseModelPublication(input: $input) { address } }',
    { input: { area, publicationYear, period } },
  );
  await send(register, data.prepareBaseModelPublication.address as string, archive);
}

/** Publishes an archive as an admin: requests an upload address with GraphQL, and sends the zip to Interface C. */
export async function publishGrid(register: SharedRegister, project: GridProjectKey, archive: Buffer): Promise<void> {
  const admin = await graphAs(register, 'admin');
  const { data } = await admin(
    'mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }',
    { input: project },
  );
  await send(register, data.prepareGridPublication.address as string, archive);
}

async function send(register: SharedRegister, address: string, archive: Buffer): Promise<void> {
  const response = await documentedFetch(new URL(address, register.rest), {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: new Uint8Array(archive),
  });
  if (response.status !== 201) throw new Error(`upload failed with ${response.status}: ${await response.text()}`);
}
