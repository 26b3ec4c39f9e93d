import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { CIM_FILES } from '../subgraphs/grid-models/rdf/difference-model';
import { writeDifferenceModel } from '../subgraphs/grid-models/rdf/write-difference-model';
import { type DemoArchive, type Reinforcement, reinforcementArchive } from './demo-grid-models';
import type { GraphqlClient } from './graphql-client';

/** The sample project in `sandbox.json`. */
export interface DemoGrid {
  readonly area: string;
  readonly project: string;
  readonly year: number;
  readonly period: string;
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

const PREPARE = `mutation Prepare($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }`;
const LATEST = `query Latest($area: String!, $year: Int!, $period: PublicationPeriod!, $project: ProjectId!) {
  developmentProject(area: $area, publicationYear: $year, period: $period, projectId: $project) { latestVersion { version } }
}`;

/** Publishes the missing versions of the fictional projects by upload, as an admin does. */
export async function publishDemoGrid(asAdmin: GraphqlClient, restUrl: string): Promise<DemoGrid> {
  for (const { place, plan, versions } of PROJECTS) {
    const { developmentProject } = await asAdmin<Latest>(LATEST, { ...place });
    const published = developmentProject?.latestVersion.version ?? 0;
    for (let version = published + 1; version <= versions; version += 1) {
      await upload(place, reinforcementArchive({ ...plan, version }), asAdmin, restUrl);
    }
  }
  return PROJECTS[0].place;
}

interface Latest {
  readonly developmentProject: { readonly latestVersion: { readonly version: number } } | null;
}

async function upload(
  { area, year, period, project }: DemoGrid,
  archive: DemoArchive,
  asAdmin: GraphqlClient,
  restUrl: string,
): Promise<void> {
  const input = { area, publicationYear: year, period, projectId: project };
  const { prepareGridPublication } = await asAdmin<{ prepareGridPublication: { address: string } }>(PREPARE, { input });
  const response = await fetch(`${restUrl}${prepareGridPublication.address}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: new Uint8Array(await zipped(archive)),
  });
  if (!response.ok) throw new Error(`publishing the demo project ${project} failed: ${await response.text()}`);
}

/** Returns the archive as a zip of its three files. */
function zipped(archive: DemoArchive): Promise<Buffer> {
  const zip = new ZipFile();
  for (const file of CIM_FILES) {
    const text = [...writeDifferenceModel(archive[file])].join('');
    zip.addBuffer(Buffer.from(text), `${file}.xml`, { mtime: new Date(archive[file].header.created) });
  }
  zip.end();
  return buffer(zip.outputStream);
}
