import { randomUUID } from 'node:crypto';
import { differenceModelXml, gridArchive, lineSegment } from '../support/grid-archives';
import { graphAs, graphOf } from '../support/graph';
import { type TestRegister, startTestRegister, usualWirings } from '../support/register';

const PROJECT = { area: 'SPN', publicationYear: 2026, period: '02', projectId: 'JOURNEY' };

describe.each(usualWirings())('A development project (%s)', (wiring) => {
  let register: TestRegister;
  beforeAll(async () => {
    register = await startTestRegister(wiring);
  });
  afterAll(() => register?.close());

  const lines = [randomUUID(), randomUUID()] as const;
  const archiveOf = (...names: string[]) => {
    const forward = names.map((name, index) => lineSegment(String(lines[index]), name)).join('');
    return gridArchive({ EQ: differenceModelXml('EQ', { forward, reverse: null }) });
  };

  /** An admin asks for an address and sends the archive there. */
  async function publish(archive: Buffer): Promise<number> {
    const admin = await graphAs(register, 'admin');
    const { data } = await admin(
      'mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }',
      { input: PROJECT },
    );
    const { status } = await fetch(`${register.rest}${data.prepareGridPublication.address}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/zip' },
      body: new Uint8Array(archive),
    });
    return status;
  }

  it('is published by an admin, and corrected, and whoever asks the graph sees what changed', async () => {
    expect(await publish(await archiveOf('Old Street'))).toBe(201);
    expect(await publish(await archiveOf('New Street', 'Side Street'))).toBe(201);
    const query = `query ($area: String!, $publicationYear: Int!, $period: PublicationPeriod!, $projectId: ProjectId!) {
      developmentProject(area: $area, publicationYear: $publicationYear, period: $period, projectId: $projectId) {
        licenceArea { name } versions { version classCounts { type added } }
        latestVersion { objects(search: "side") { nodes { mRID name values { name after } } } }
        comparison(from: 1, to: 2) { counts { file added changed } differences(kind: CHANGED) { nodes { values { before after } } } }
      } }`;
    const { data, errors } = await graphOf(register)(query, PROJECT);
    expect(errors).toEqual([]);
    expect(data.developmentProject).toMatchObject({
      licenceArea: { name: 'South Eastern' },
      versions: [
        { version: 2, classCounts: [{ type: 'cim:ACLineSegment', added: 2 }] },
        { version: 1, classCounts: [{ type: 'cim:ACLineSegment', added: 1 }] },
      ],
      latestVersion: { objects: { nodes: [{ mRID: lines[1], name: 'Side Street' }] } },
      comparison: {
        counts: [{ file: 'EQ_XML', added: 1, changed: 1 }, { file: 'SC_XML' }, { file: 'GL_XML' }],
        differences: { nodes: [{ values: [{ before: ['Old Street'], after: ['New Street'] }] }] },
      },
    });
  });
});
