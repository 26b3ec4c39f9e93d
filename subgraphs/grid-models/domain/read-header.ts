import { isUuid } from '../../../schema/identifiers';
import type { CimFile, DifferenceModelHeader } from './difference-model';
import { MAX_NAME, type ModelReading, type Reading, shown, tellFault } from './difference-model-reading';
import { type QualifiedName, MD, RDF } from './rdf-names';
import { mRIDOf } from './rdf-resources';

/** Header fields that stand once. */
const SINGLE_FIELDS = [
  'Model.created',
  'Model.scenarioTime',
  'Model.modelingAuthoritySet',
  'Model.description',
  'Model.version',
] as const;
type SingleField = (typeof SINGLE_FIELDS)[number];

const PROFILE = 'Model.profile';

/** Header fields whose `rdf:resource` names another model. */
const REFERENCES = ['Model.DependentOn', 'Model.Supersedes'] as const;

const FIELDS: ReadonlySet<string> = new Set([...SINGLE_FIELDS, PROFILE, ...REFERENCES]);

/** Profiles, of which one must be among those of a member (3-decisions-c-d.md, C.2). */
const PROFILES: Readonly<Record<CimFile, readonly string[]>> = {
  EQ: ['http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0', 'http://ofgem.gov.uk/ns/CIM/LTDS/Equipment/6.0'],
  SC: ['http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0'],
  GL: ['http://iec.ch/TC57/ns/CIM/GeographicalLocation-EU/3.0'],
};

/** ISO 8601 as XML Schema has it; a file that names no zone means UTC. */
const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;

/** Whether an element is a header field that is read; others of the model description are passed over. */
export function isHeaderField({ uri, local }: QualifiedName): boolean {
  return uri === MD && FIELDS.has(local);
}

/** A header field begins. */
export function openField(reading: Reading, model: ModelReading, { local }: QualifiedName): void {
  model.field = local;
  model.resource = reading.attributes.find(
    (attribute) => attribute.uri === RDF && attribute.local === 'resource',
  )?.value;
  reading.text = '';
}

/** A header field has ended. */
export function closeField(reading: Reading, model: ModelReading): void {
  const field = model.field as string;
  const isReference = REFERENCES.some((reference) => reference === field);
  const value = isReference ? mRIDOf(model.resource ?? '') : reading.text.trim();
  model.field = undefined;
  if (isReference && (value === '' || value.length > MAX_NAME)) {
    tellFault(reading, `md:${field} names no model of at most ${MAX_NAME} characters by rdf:resource`);
    return;
  }
  const values = model.fields.get(field);
  if (!values) model.fields.set(field, [value]);
  else if (isReference || field === PROFILE) values.push(value);
  else tellFault(reading, `md:${field} stands twice`);
}

/** The header as far as the file has it; null when it has none of it. */
export function headerOf({ mRID, fields }: ModelReading): DifferenceModelHeader | null {
  if (mRID === '' && fields.size === 0) return null;
  const single = (field: SingleField) => fields.get(field)?.[0] ?? '';
  return {
    mRID,
    created: single('Model.created'),
    scenarioTime: single('Model.scenarioTime'),
    modelingAuthoritySet: single('Model.modelingAuthoritySet'),
    profile: fields.get(PROFILE) ?? [],
    description: single('Model.description'),
    version: single('Model.version'),
    dependentOn: fields.get('Model.DependentOn') ?? [],
    supersedes: fields.get('Model.Supersedes') ?? [],
  };
}

/** The model has ended: whether its header is whole, and that of the member that it is. */
export function checkHeader(reading: Reading, model: ModelReading): void {
  const tell = (message: string) => tellFault(reading, message, model.line);
  if (headerOf(model) === null) return tell('the header is missing');
  if (!isUuid(model.mRID))
    tell(`the model's mRID is no UUID: ${model.mRID === '' ? 'it has none' : shown(model.mRID)}`);
  for (const field of SINGLE_FIELDS) checkField(field, model.fields.get(field)?.[0], tell);
  checkProfiles(model.fields.get(PROFILE) ?? [], reading.file, tell);
}

function checkField(field: SingleField, value: string | undefined, tell: (message: string) => void): void {
  if (value === undefined) return tell(`md:${field} is missing`);
  if (field === 'Model.description') return;
  if (value === '') return tell(`md:${field} is empty`);
  if (field === 'Model.created' || field === 'Model.scenarioTime') {
    if (!isInstant(value)) tell(`md:${field} is no instant: ${shown(value)}`);
  }
}

function checkProfiles(profiles: readonly string[], file: CimFile | undefined, tell: (message: string) => void): void {
  if (profiles.length === 0) return tell(`md:${PROFILE} is missing`);
  if (profiles.includes('')) tell(`md:${PROFILE} is empty`);
  if (file === undefined || PROFILES[file].some((fitting) => profiles.includes(fitting))) return;
  tell(`${file}.xml must have the profile ${PROFILES[file].join(' or ')}, it has ${shown(profiles.join(', '))}`);
}

function isInstant(text: string): boolean {
  const match = INSTANT.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
