import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { CIM_FILES, type CimFile } from '../subgraphs/grid-models/rdf/difference-model';
import { writeDifferenceModel, writeFullModel } from '../subgraphs/grid-models/rdf/write-difference-model';
import { type ExistingSite, baseModel } from './demo-base-model';
import { type Reinforcement, reinforcementArchive } from './demo-grid-models';
import type { GraphqlClient } from './graphql-client';

/** A licence area and publication cycle. */
interface DemoCycle {
  readonly area: string;
  readonly year: number;
  readonly period: string;
}

/** The sample project in `sandbox.json`. */
export interface DemoGrid extends DemoCycle {
  readonly project: string;
}

/** A fictional project and its number of versions. */
interface DemoProject {
  readonly place: DemoGrid;
  readonly plan: Omit<Reinforcement, 'version'>;
  readonly versions: number;
}

/** The first project is the sample of `sandbox.json`; the second depends on it. */
const PROJECTS: readonly [DemoProject, ...DemoProject[]] = [
  {
    place: { area: 'EPN', project: 'Thetford-33kV', year: 2026, period: '01' },
    plan: {
      name: 'Thetford North',
      at: [0.752, 52.424],
      feeders: ['Brandon', 'Croxton', 'Kilverstone', 'Barnham', 'Elveden'],
      created: '2026-04-17T09:30:00Z',
    },
    versions: 2,
  },
  {
    place: { area: 'EPN', project: 'Brandon-solar', year: 2026, period: '01' },
    plan: {
      name: 'Brandon Heath',
      at: [0.624, 52.447],
      feeders: ['Weeting', 'Lakenheath'],
      created: '2026-04-28T14:05:00Z',
      buildsOn: 'Thetford North',
    },
    versions: 1,
  },
  {
    place: { area: 'NPGY', project: 'Skipton-East', year: 2025, period: '02' },
    plan: {
      name: 'Skipton East',
      at: [-1.982, 53.963],
      feeders: ['Embsay', 'Draughton', 'Carleton'],
      created: '2025-10-20T08:00:00Z',
    },
    versions: 1,
  },
];

/**
 * The network of the licence area EPN before its projects. One statement of Brandon-solar does not fit: it replaces a neutral voltage of
 * 33.5 kV, which the base model does not state.
 */
const BASE: { readonly place: DemoCycle; readonly sites: readonly ExistingSite[] } = {
  place: { area: 'EPN', year: 2026, period: '01' },
  sites: [
    { name: 'Thetford North', at: [0.752, 52.424], neutralKilovolts: 33.5 },
    { name: 'Brandon Heath', at: [0.624, 52.447], neutralKilovolts: 34 },
  ],
};

const BASE_PUBLISHED = `query Base($area: String!, $year: Int!, $period: PublicationPeriod!) {
  baseModel(area: $area, publicationYear: $year, period: $period) { version }
}`;
const PREPARE_BASE = `mutation Prepare($input: BaseModelPublicationInput!) {
  upload: prepareBaseModelPublication(input: $input) { address }
}`;
const PREPARE = `mutation Prepare($input: GridPublicationInput!) { upload: prepareGridPublication(input: $input) { address } }`;
const LATEST = `query Latest($area: String!, $year: Int!, $period: PublicationPeriod!, $project: ProjectId!) {
  developmentProject(area: $area, publicationYear: $year, period: $period, projectId: $project) { latestVersion { version } }
}`;

/** The fictional base model and the fictional projects. */
export const DEMO_GRID = { base: BASE, projects: PROJECTS } as const;

/** The sample project in `sandbox.json`. */
export const SAMPLE_PROJECT: DemoGrid = PROJECTS[0].place;

/** Publishes the fictional base model and the fictional projects by upload, as an admin does, unless they are published. */
export async function publishDemoGrid(asAdmin: GraphqlClient, restUrl: string): Promise<void> {
  const { baseModel: published } = await asAdmin<{ baseModel: object | null }>(BASE_PUBLISHED, { ...BASE.place });
  if (published === null) await publishBase(asAdmin, restUrl);
  for (const project of PROJECTS) await publishVersions(project, asAdmin, restUrl);
}

async function publishBase(asAdmin: GraphqlClient, restUrl: string): Promise<void> {
  const { area, year, period } = BASE.place;
  const models = baseModel(BASE.sites);
  const archive = await zipped((file) => ({ pieces: writeFullModel(models[file]), ...models[file].header }));
  await upload(PREPARE_BASE, { area, publicationYear: year, period }, archive, asAdmin, restUrl);
}

async function publishVersions(
  { place, plan, versions }: DemoProject,
  asAdmin: GraphqlClient,
  restUrl: string,
): Promise<void> {
  const { area, year, period, project } = place;
  const { developmentProject } = await asAdmin<Latest>(LATEST, { ...place });
  const published = developmentProject?.latestVersion.version ?? 0;
  for (let version = published + 1; version <= versions; version += 1) {
    const models = reinforcementArchive({ ...plan, version });
    const archive = await zipped((file) => ({ pieces: writeDifferenceModel(models[file]), ...models[file].header }));
    await upload(PREPARE, { area, publicationYear: year, period, projectId: project }, archive, asAdmin, restUrl);
  }
}

interface Latest {
  readonly developmentProject: { readonly latestVersion: { readonly version: number } } | null;
}

async function upload(
  prepare: string,
  input: object,
  archive: Buffer,
  asAdmin: GraphqlClient,
  restUrl: string,
): Promise<void> {
  const { upload: prepared } = await asAdmin<{ upload: { address: string } }>(prepare, { input });
  const response = await fetch(`${restUrl}${prepared.address}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: new Uint8Array(archive),
  });
  if (!response.ok)
    throw new Error(`publishing ${JSON.stringify(input)} of the demo data failed: ${await response.text()}`);
}

/** Returns an archive as a zip of its three files. */
function zipped(
  memberOf: (file: CimFile) => { readonly pieces: Iterable<string>; readonly created: string },
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const file of CIM_FILES) {
    const { pieces, created } = memberOf(file);
    zip.addBuffer(Buffer.from([...pieces].join('')), `${file}.xml`, { mtime: new Date(created) });
  }
  zip.end();
  return buffer(zip.outputStream);
}
