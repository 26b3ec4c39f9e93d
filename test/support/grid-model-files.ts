/** The parts of a difference model that a test does not say itself. */
export interface ModelParts {
  /** Declarations of namespaces on the root. */
  readonly namespaces?: string;
  /** Attributes of dm:DifferenceModel. */
  readonly model?: string;
  readonly header?: string;
  readonly sections?: string;
}

/** The namespaces as files usually declare them. */
export const NAMESPACES = `xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:md="http://iec.ch/TC57/61970-552/ModelDescription/1#" xmlns:dm="http://iec.ch/TC57/61970-552/DifferenceModel/1#"
  xmlns:cim="http://iec.ch/TC57/CIM100#" xmlns:eu="http://iec.ch/TC57/CIM100-European#"`;

/** The fields of a header in which nothing is wrong, by their names. */
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

/** A difference model as a text; what is not said is as it should be. */
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

/** A section with items. */
export function section(name: 'forward' | 'reverse', items: string): string {
  return `<dm:${name}Differences rdf:parseType="Statements">${items}</dm:${name}Differences>`;
}

/** A model that adds these items. */
export function modelWith(items: string, parts: ModelParts = {}): string {
  return modelFile({ ...parts, sections: section('forward', items) });
}
