import fc from 'fast-check';
import type { CimFile } from '../../subgraphs/grid-models/rdf/difference-model';
import type { AppliedCase } from './applied-models';
import { differenceModelXml } from './grid-archives';
import { fullModelXml } from './grid-base-archives';
import { REAL_FILES } from './real-grid-models';

const mRID = (number: number) => `0000000${number}-0000-4000-8000-00000000000a`;

/** Few objects, names and values, so that statements meet. */
const object = fc.integer({ min: 0, max: 5 }).map(mRID);
const statement = fc.oneof(
  fc
    .tuple(fc.constantFrom('cim:ACLineSegment.r', 'cim:IdentifiedObject.name'), fc.constantFrom('1', '2', ''))
    .map(([name, value]) => `<${name}>${value}</${name}>`),
  fc
    .tuple(object, fc.constantFrom('#_', 'urn:uuid:', '#_up'))
    .map(
      ([target, form]) =>
        `<cim:Terminal.ConductingEquipment rdf:resource="${form === '#_up' ? `#_${target.toUpperCase()}` : form + target}"/>`,
    ),
  fc
    .constantFrom('A', 'ABC')
    .map((code) => `<cim:Terminal.phases rdf:resource="http://iec.ch/TC57/CIM100#PhaseCode.${code}"/>`),
  fc
    .constantFrom('ACLineSegment', 'Breaker')
    .map((name) => `<rdf:type rdf:resource="http://iec.ch/TC57/CIM100#${name}"/>`),
);
const type = fc.constantFrom('cim:ACLineSegment', 'cim:Breaker');
const body = fc.array(statement, { maxLength: 4 }).map((statements) => statements.join(''));
const anyType = fc.oneof(type, fc.constant('rdf:Description'));
const whole = fc.tuple(anyType, object, body).map(([name, id, text]) => ({
  id,
  text: `<${name} rdf:ID="_${id}">${text}</${name}>`,
}));
const part = fc.tuple(anyType, object, body).map(([name, id, text]) => ({
  id: undefined,
  text: `<${name} rdf:about="#_${id}">${text}</${name}>`,
}));
/** An `rdf:ID` occurs once in a section. */
const items = fc
  .array(fc.oneof(whole, part), { maxLength: 6 })
  .map((all) => all.filter(({ id }, index) => id === undefined || all.findIndex((each) => each.id === id) === index))
  .map((all) => all.map(({ text }) => text).join(''));

const full = (file: CimFile) => items.map((text) => fullModelXml(file, text));
const difference = (file: CimFile) =>
  fc.record({ reverse: items, forward: items }).map((sections) => differenceModelXml(file, sections));
/** Generated base models with projects. */
export const APPLIED_CASES: fc.Arbitrary<AppliedCase> = fc.record({
  base: fc.record({ EQ: full('EQ'), SC: full('SC'), GL: full('GL') }),
  project: fc.record({ EQ: difference('EQ'), SC: difference('SC'), GL: difference('GL') }),
});

/** Returns a real file; `undefined` as text if it is not on the machine. */
export const realText = (name: string) => String(REAL_FILES.get(name));

/** The items of a section of a real difference model, as text. */
export function sectionOf(name: string, section: 'forward' | 'reverse'): string {
  const element = `dm:${section}Differences`;
  return new RegExp(`<${element}[^>]*>([^]*)</${element}>`).exec(realText(name))?.[1] ?? '';
}

/** A real grid. */
export const TELEMARK = (): AppliedCase['base'] => ({
  EQ: realText('Telemark-120-MV1_EQ.xml'),
  SC: realText('Telemark-120-MV1_SC.xml'),
  GL: realText('Telemark-120-MV1_GL.xml'),
});

/** The objects of a real full model, as text. */
export function objectsOf(name: string): string[] {
  return REAL_FILES.has(name) ? (realText(name).match(/<(cim:\w+) rdf:(ID|about)=[^]*?<\/\1>/g) ?? []) : [];
}

/** The removal of a tenth of a real grid, and of half its short-circuit data. */
export function removalOfATenth(): AppliedCase {
  const eq = objectsOf('Telemark-120-MV1_EQ.xml').filter((_, index) => index % 10 === 3);
  const sc = objectsOf('Telemark-120-MV1_SC.xml').filter((_, index) => index % 2 === 0);
  return {
    base: TELEMARK(),
    project: {
      EQ: differenceModelXml('EQ', { reverse: eq.join('') }),
      SC: differenceModelXml('SC', { reverse: sc.join(''), forward: sc.join('').replaceAll('>0.', '>1.') }),
    },
  };
}
