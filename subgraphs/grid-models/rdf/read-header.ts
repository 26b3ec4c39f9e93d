import { isUuid } from '../../../schema/identifiers';
import type { DifferenceModelHeader } from './difference-model';
import { MAX_DESCRIPTION_LENGTH, MAX_HEADER_VALUES, MAX_HEADER_VALUE_LENGTH, MAX_NAME_LENGTH } from './model-limits';
import { type ModelReading, type Reading, reportFault, shown, stopWithFault } from './model-reading';
import type { ExpectedMember } from './model-sink';
import { type QualifiedName, MD, RDF } from './rdf-names';
import { mRIDOf } from './rdf-resources';

/** Header fields that occur once. */
const SINGLE_FIELDS = [
  'Model.created',
  'Model.scenarioTime',
  'Model.modelingAuthoritySet',
  'Model.description',
  'Model.version',
] as const;
type SingleField = (typeof SINGLE_FIELDS)[number];

const PROFILE = 'Model.profile';

/** Header fields whose `rdf:resource` refers to another model. */
const REFERENCES = ['Model.DependentOn', 'Model.Supersedes'] as const;

const FIELDS: ReadonlySet<string> = new Set([...SINGLE_FIELDS, PROFILE, ...REFERENCES]);

/** `xsd:dateTime` (XML Schema Part 2, section 3.2.7), with at most 9 decimals. Without a time zone it is UTC. */
const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;

/** Returns whether an element is a header field that the register uses. Other fields of the model description are skipped. */
export function isHeaderField({ uri, local }: QualifiedName): boolean {
  return uri === MD && FIELDS.has(local);
}

/** Handles the start of a header field. */
export function openField(reading: Reading, model: ModelReading, { local }: QualifiedName): void {
  model.field = local;
  model.resource = reading.attributes.find(
    (attribute) => attribute.uri === RDF && attribute.local === 'resource',
  )?.value;
  reading.text = '';
}

/** Handles the end of a header field. */
export function closeField(reading: Reading, model: ModelReading): void {
  const field = model.field as string;
  const isReference = REFERENCES.some((reference) => reference === field);
  const value = isReference ? mRIDOf(model.resource ?? '') : reading.text.trim();
  model.field = undefined;
  if (isReference && (value === '' || value.length > MAX_NAME_LENGTH)) {
    reportFault(reading, `md:${field} must refer to a model by an rdf:resource of 1 to ${MAX_NAME_LENGTH} characters`);
    return;
  }
  const maxLength = field === 'Model.description' ? MAX_DESCRIPTION_LENGTH : MAX_HEADER_VALUE_LENGTH;
  if (value.length > maxLength) return reportFault(reading, `md:${field} has more than ${maxLength} characters`);
  const values = model.fields.get(field);
  if (!values) model.fields.set(field, [value]);
  else if (!isReference && field !== PROFILE) reportFault(reading, `md:${field} occurs twice`);
  else if (values.length < MAX_HEADER_VALUES) values.push(value);
  else stopWithFault(reading, `md:${field} has more than ${MAX_HEADER_VALUES} values`);
}

/** Returns the header with empty values for missing fields; null if the file has no field and no mRID. */
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

/** Reports missing and invalid header fields, and a profile of another file. Called at the end of the model. */
export function checkHeader(reading: Reading, model: ModelReading): void {
  const report = (message: string) => reportFault(reading, message, model.line);
  if (headerOf(model) === null) return report('the header is missing');
  if (!isUuid(model.mRID))
    report(model.mRID === '' ? 'the model has no mRID' : `the mRID of the model is not a UUID: ${shown(model.mRID)}`);
  for (const field of SINGLE_FIELDS) checkField(field, model.fields.get(field)?.[0], report);
  checkProfiles(model.fields.get(PROFILE) ?? [], reading.expected, report);
}

function checkField(field: SingleField, value: string | undefined, report: (message: string) => void): void {
  if (value === undefined) return report(`md:${field} is missing`);
  if (field === 'Model.description') return;
  if (value === '') return report(`md:${field} is empty`);
  if (field === 'Model.created' || field === 'Model.scenarioTime') {
    if (!isInstant(value)) report(`md:${field} is not an instant: ${shown(value)}`);
  }
}

function checkProfiles(
  profiles: readonly string[],
  expected: ExpectedMember | undefined,
  report: (message: string) => void,
): void {
  if (profiles.length === 0) return report(`md:${PROFILE} is missing`);
  if (profiles.includes('')) report(`md:${PROFILE} is empty`);
  if (expected === undefined) return;
  const { file, profiles: allowed } = expected;
  if (allowed[file].some((profile) => profiles.includes(profile))) return;
  report(`${file}.xml must have the profile ${allowed[file].join(' or ')}; it has ${shown(profiles.join(', '))}`);
}

function isInstant(text: string): boolean {
  const match = INSTANT.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
