/** Parts of a difference model that a test may replace. */
export interface ModelParts {
  /** Namespace declarations of the root. */
  readonly namespaces?: string;
  /** Attributes of dm:DifferenceModel. */
  readonly model?: string;
  readonly header?: string;
  readonly sections?: string;
}

/** The usual namespace declarations. */
export const NAMESPACES = `xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:md="http://iec.ch/TC57/61970-552/ModelDescription/1#" xmlns:dm="http://iec.ch/TC57/61970-552/DifferenceModel/1#"
  xmlns:cim="http://iec.ch/TC57/CIM100#" xmlns:eu="http://iec.ch/TC57/CIM100-European#"`;

/** The fields of a valid header, by name. */
export const HEADER_FIELDS: Readonly<Record<string, string>> = {
  created: '<md:Model.created>2026-04-17T09:30:00Z</md:Model.created>',
  scenarioTime: '<md:Model.scenarioTime>2026-05-01T00:00:00Z</md:Model.scenarioTime>',
  description: '<md:Model.description>A new feeder.</md:Model.description>',
  modelingAuthoritySet: '<md:Model.modelingAuthoritySet>http://example.org/grid</md:Model.modelingAuthoritySet>',
  profile: '<md:Model.profile>http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0</md:Model.profile>',
  version: '<md:Model.version>001</md:Model.version>',
  DependentOn: '<md:Model.DependentOn rdf:resource="urn:uuid:0cd6ada4-b6dc-4a36-a98c-877a39168cd3"/>',
};

/** The mRID of {@link modelFile}. */
export const MODEL_MRID = '39d8d8fd-325d-4e29-9659-d7a1cca0615d';

/** Returns the text of a difference model. Parts that are not passed are valid. */
export function modelFile(parts: ModelParts = {}): string {
  const { namespaces = NAMESPACES, model = `rdf:about="urn:uuid:${MODEL_MRID}"`, sections = '' } = parts;
  const header = parts.header ?? Object.values(HEADER_FIELDS).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF ${namespaces}>
<dm:DifferenceModel ${model}>
${header}
${sections}
</dm:DifferenceModel>
</rdf:RDF>
`;
}

/** Returns a section with items. */
export function section(name: 'forward' | 'reverse', items: string): string {
  return `<dm:${name}Differences rdf:parseType="Statements">${items}</dm:${name}Differences>`;
}

/** Returns a model whose forward section has the items. */
export function modelWith(items: string, parts: ModelParts = {}): string {
  return modelFile({ ...parts, sections: section('forward', items) });
}
