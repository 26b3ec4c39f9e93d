import { randomUUID } from 'node:crypto';
import { failuresOf, graphAs, graphOf } from '../../support/graph';
import { differenceModelXml, gridArchive, lineSegment } from '../../support/grid-archives';
import { accountOf } from '../../support/rest-client';
import { download, publishGrid } from '../../support/user-grid';
import type { UserStory } from '../../support/user-story';

const WHAT_CHANGED = `query ($area: String!, $publicationYear: Int!, $period: PublicationPeriod!, $projectId: ProjectId!) {
  developmentProject(area: $area, publicationYear: $publicationYear, period: $period, projectId: $projectId) {
    licenceArea { name } versions { version classCounts { type added } }
    latestVersion { objects(search: "side") { nodes { mRID name values { name after } } } }
    comparison(from: 1, to: 2) { counts { file added changed } differences(kind: CHANGED) { nodes { values { before after } } } }
  } }`;
const ACROSS = `{
  allAccessRecords(first: 1) { nodes { state purpose ak dataUser { displayName } identityRecord { piiPrincipal { mpxn } } } }
  supplierPage { data { mpid } } developmentProjects { nodes { projectId } }
}`;

/** Users of the whole register: planners of Interface C, analysts of the graph. */
export function usersOfTheGraph(story: UserStory): void {
  it('a planner finds a grid model that an admin published and corrected, downloads all and part of it, and reads the changes', async () => {
    const { register, anonymous } = story;
    const project = { area: 'SPN', publicationYear: 2026, period: '02', projectId: 'JOURNEY' };
    const lines = [randomUUID(), randomUUID()] as const;
    const archiveOf = (...names: string[]) => {
      const forward = names.map((name, index) => lineSegment(String(lines[index]), name)).join('');
      return gridArchive({ EQ: differenceModelXml('EQ', { forward, reverse: null }) });
    };
    const archive = await archiveOf('Old Street');
    expect(await publishGrid(register, project, archive)).toBe(201);
    expect(await publishGrid(register, project, await archiveOf('New Street', 'Side Street'))).toBe(201);

    const { body } = await anonymous('GET', '/grid-modelling/stage3/development-projects?licenceArea=SPN');
    const [found] = body['developmentProjects'];
    expect(found).toMatchObject({ projectId: 'JOURNEY', versions: [{ version: 2 }, { version: 1 }] });
    const { archive: zip, models } = found.versions[1];
    const whole = await download(register, project, '', 1);
    expect([whole.headers.get('content-type'), whole.digest]).toEqual(['application/zip', zip.sha256]);
    expect(whole.bytes.equals(archive)).toBe(true);

    const model = await download(register, project, '/EQ.xml', 1, { 'accept-encoding': 'identity' });
    expect(model.headers.get('content-type')).toBe('application/rdf+xml; charset=utf-8');
    expect(model.digest).toBe(models[0].stored.sha256);
    expect(model.bytes.toString()).toContain('Old Street');
    const tag = String(model.headers.get('etag'));
    const part = await download(register, project, '/EQ.xml', 1, { range: 'bytes=100-199', 'if-range': tag });
    expect([part.status, part.bytes.equals(model.bytes.subarray(100, 200))]).toEqual([206, true]);
    const again = { 'if-none-match': tag, 'accept-encoding': 'identity' };
    expect((await download(register, project, '/EQ.xml', 1, again)).status).toBe(304);

    const { data, errors } = await graphOf(register)(WHAT_CHANGED, project);
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

  it('an analyst queries all of the graph except personal data, cannot change anything, and reads the suspension of a Data User immediately', async () => {
    const { register, anonymous, dataUser, customer } = story;
    const analyst = await graphAs(register, 'analyst');
    const { data: schema } = await analyst('{ __schema { queryType { fields { name } } } }');
    const fields = schema.__schema.queryType.fields.map(({ name }: { name: string }) => name);
    expect(fields).toEqual(expect.arrayContaining(['allAccessRecords', 'supplierPage', 'developmentProjects']));
    const response = await analyst(ACROSS);
    const [newest] = response.data.allAccessRecords.nodes;
    expect(newest).toEqual({
      state: 'REVOKED',
      purpose: 'Tariff comparison',
      dataUser: { displayName: 'Harbourlight Energy Insight Ltd' },
      ak: null,
      identityRecord: null,
    });
    expect(response.data.supplierPage.data.length).toBeGreaterThan(0);
    expect(response.data.developmentProjects.nodes).toContainEqual({ projectId: 'JOURNEY' });
    expect(new Set(response.errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['PRM002']));
    expect(response.text).not.toMatch(new RegExp(`${customer.mpxn}|Lantern Row|ak_[0-9a-f]{24}`));
    const { account_id: accountId } = accountOf(register.sandbox, 'data_user');
    const suspend = `mutation { suspendAccount(accountId: "${accountId}") { status } }`;
    expect(failuresOf(await analyst(suspend))).toEqual(['PRM001']);

    const admin = await graphAs(register, 'admin');
    expect((await dataUser('GET', '/v1/records')).status).toBe(200);
    expect((await admin(suspend)).data.suspendAccount).toEqual({ status: 'SUSPENDED' });
    expect((await dataUser('GET', '/v1/records')).status).toBe(401);
    const { body } = await anonymous('GET', `/v1/access-records/${register.sandbox.samples.access_keys.active}`);
    const { duid } = body['access-record']['record-metadata'];
    expect(body['access-record']['access-event'].state).toBe('ACTIVE');
    const status = `{ dataUser(duid: "${duid}") { status } }`;
    expect((await analyst(status)).data).toEqual({ dataUser: { status: 'SUSPENDED' } });
    await admin(`mutation { reactivateAccount(accountId: "${accountId}") { status } }`);
    expect((await dataUser('GET', '/v1/records')).status).toBe(200);
  });
}
