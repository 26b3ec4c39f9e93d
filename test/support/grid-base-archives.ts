import { randomUUID } from 'node:crypto';
import type { CimFile } from '../../subgraphs/grid-models/rdf/difference-model';
import { PROFILES, zipOf } from './grid-archives';

/** Returns the text of a full model without `md:Model.DependentOn`. */
export function fullModelXml(file: CimFile, items: string, mRID: string = randomUUID()): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:md="http://iec.ch/TC57/61970-552/ModelDescription/1#"
  xmlns:cim="http://iec.ch/TC57/CIM100#" xmlns:eu="http://iec.ch/TC57/CIM100-European#">
<md:FullModel rdf:about="urn:uuid:${mRID}">
<md:Model.created>2026-05-01T00:00:00Z</md:Model.created>
<md:Model.scenarioTime>2026-05-01T00:00:00Z</md:Model.scenarioTime>
<md:Model.description>a base model</md:Model.description>
<md:Model.modelingAuthoritySet>http://ukpowernetworks.example/EPN</md:Model.modelingAuthoritySet>
<md:Model.profile>${PROFILES[file]}</md:Model.profile>
<md:Model.version>001</md:Model.version>
</md:FullModel>
${items}
</rdf:RDF>
`;
}

/** Returns the archive of a base model. Omitted members are models without items. */
export function baseArchive(members: Partial<Record<CimFile, string>> = {}): Promise<Buffer> {
  const of = (file: CimFile) => ({ name: `${file}.xml`, bytes: members[file] ?? fullModelXml(file, '') });
  return zipOf([of('EQ'), of('SC'), of('GL')]);
}
