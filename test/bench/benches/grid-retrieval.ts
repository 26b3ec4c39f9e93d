import type { DemoAccount } from '../../../sandbox/sandbox-file';
import { differenceModelXml, gridArchive } from '../../support/grid-archives';
import { generatedGridModel } from '../../support/generated-grid-model';
import { type Bench, atOneConnection, bareSide, comparisons, productSide } from '../bench-context';
import { type BenchRegister, bearerToken } from '../bench-fixture';
import type { Load } from '../load';
import { expectSameResponse } from '../same-response';

const MEGABYTE = 1024 * 1024;
const PLACE = { area: 'EPN', publicationYear: 2026, period: '02', projectId: 'Megabyte' };
const PREPARE = `mutation Prepare($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }`;

/** GET …/EQ.xml of one megabyte, against the bare server with the same cache on the same rows. */
export const gridRetrieval: Bench = async (context) => {
  const { fixture } = context;
  const register = await context.register();
  await publishMegabyte(register);
  const load: Load = {
    method: 'GET',
    path: '/grid-modelling/stage3/development-projects/{key}/EQ.xml?licenceArea=EPN&publicationYear=2026&period=02',
    headers: { 'accept-encoding': 'identity' },
    keys: [PLACE.projectId],
  };
  const sides = [productSide(fixture, register, load), bareSide(fixture, register, load)] as const;
  await expectSameResponse(...sides);
  const measurements = await comparisons('grid-retrieval', [...sides], context.seconds);
  return [...measurements, atOneConnection('grid-retrieval', measurements)];
};

/** Publishes a project with an EQ.xml of one megabyte, as an admin. */
async function publishMegabyte({ rest, gateway, accounts }: BenchRegister): Promise<void> {
  const admin = accounts.find(({ role }) => role === 'admin') as DemoAccount;
  const prepared = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await bearerToken(rest, admin)}` },
    body: JSON.stringify({ query: PREPARE, variables: { input: PLACE } }),
  });
  const { data } = (await prepared.json()) as { data: { prepareGridPublication: { address: string } } };
  const archive = await gridArchive({
    EQ: generatedGridModel(MEGABYTE).toString('utf8'),
    SC: differenceModelXml('SC'),
    GL: differenceModelXml('GL'),
  });
  const published = await fetch(`${rest}${data.prepareGridPublication.address}`, {
    method: 'PUT',
    body: new Uint8Array(archive),
  });
  if (published.status !== 201) throw new Error(await published.text());
}
