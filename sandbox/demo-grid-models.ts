import { createHash } from 'node:crypto';
import type {
  CimFile,
  DifferenceItem,
  DifferenceModelHeader,
  Statement,
} from '../subgraphs/grid-models/domain/difference-model';

/** A difference model to be written. */
export interface DemoModel {
  readonly header: DifferenceModelHeader;
  readonly forward: readonly DifferenceItem[];
  readonly reverse: readonly DifferenceItem[];
}

/** The three difference models of an archive. */
export type DemoArchive = Readonly<Record<CimFile, DemoModel>>;

/** A fictional reinforcement: a new primary substation, its feeders to places around, and a line that goes. */
export interface Reinforcement {
  readonly name: string;
  /** Longitude and latitude of the new substation. */
  readonly at: readonly [longitude: number, latitude: number];
  readonly feeders: readonly string[];
  readonly created: string;
  /** Of the archive; from the second on, values that were wrong in the first are right. */
  readonly version: number;
  /** The reinforcement that this one builds on. */
  readonly buildsOn?: string;
}

const PROFILES: Readonly<Record<CimFile, string>> = {
  EQ: 'http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0',
  SC: 'http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0',
  GL: 'http://iec.ch/TC57/ns/CIM/GeographicalLocation-EU/3.0',
};

/** Degrees between two points of a feeder. */
const STEP = 0.012;
const POINTS_OF_FEEDER = 6;

/** What the reinforcement changes, in the three files of its archive. */
export function reinforcementArchive(plan: Reinforcement): DemoArchive {
  const feeders = plan.feeders.map((to, index) => feederOf(plan, to, index));
  return {
    EQ: {
      header: headerOf(plan, 'EQ'),
      forward: [...substationItems(plan), ...feeders.flatMap(({ equipment }) => equipment), ...settingsOf(plan, 'new')],
      reverse: [...oldLine(plan), ...settingsOf(plan, 'old')],
    },
    SC: {
      header: headerOf(plan, 'SC'),
      forward: feeders.map(({ shortCircuit }) => shortCircuit),
      reverse: [],
    },
    GL: {
      header: headerOf(plan, 'GL'),
      forward: [...placeOf(plan), ...feeders.flatMap(({ location }) => location)],
      reverse: oldPlace(plan),
    },
  };
}

/** The mRID of a demo object: the same at every start. */
function mRID(name: string): string {
  const digits = createHash('sha256').update(`demo grid ${name}`).digest('hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

function headerOf({ name, version, created, buildsOn }: Reinforcement, file: CimFile): DifferenceModelHeader {
  return {
    mRID: mRID(`${name} ${file} v${version}`),
    created,
    scenarioTime: '2028-11-01T00:00:00Z',
    modelingAuthoritySet: 'http://ltds.example/fictional-network',
    profile: [PROFILES[file]],
    description: `${name}: a fictional reinforcement of the sandbox`,
    version: String(version).padStart(3, '0'),
    dependentOn: [mRID(buildsOn === undefined ? `base ${file}` : `${buildsOn} ${file} v1`)],
    supersedes: version === 1 ? [] : [mRID(`${name} ${file} v${version - 1}`)],
  };
}

const text = (name: string, value: string | number): Statement => ({ name, kind: 'text', value: String(value) });
const link = (name: string, target: string): Statement => ({ name, kind: 'association', value: mRID(target) });

function object(type: string, name: string, ...statements: Statement[]): DifferenceItem {
  const named = text('cim:IdentifiedObject.name', name);
  return { mRID: mRID(name), type, isObject: true, statements: [named, ...statements] };
}

function change(name: string, ...statements: Statement[]): DifferenceItem {
  return { mRID: mRID(name), type: 'rdf:Description', isObject: false, statements };
}

/** The substation with two voltage levels and two transformers, each with its breaker. */
function substationItems({ name }: Reinforcement): DifferenceItem[] {
  const levels = [33, 11].flatMap((kilovolts) => [
    object('cim:VoltageLevel', `${name} ${kilovolts} kV`, link('cim:VoltageLevel.Substation', name)),
    object(
      'cim:BusbarSection',
      `${name} ${kilovolts} kV busbar`,
      link('cim:Equipment.EquipmentContainer', `${name} ${kilovolts} kV`),
    ),
  ]);
  const transformers = [1, 2].flatMap((number) => {
    const transformer = `${name} T${number}`;
    const ends = [33, 11].map((kilovolts, index) =>
      object(
        'cim:PowerTransformerEnd',
        `${transformer} ${kilovolts} kV`,
        text('cim:TransformerEnd.endNumber', index + 1),
        text('cim:PowerTransformerEnd.ratedU', kilovolts),
        text('cim:PowerTransformerEnd.ratedS', 24),
        text('cim:PowerTransformerEnd.x', index === 0 ? 11.34 : 0),
        link('cim:PowerTransformerEnd.PowerTransformer', transformer),
      ),
    );
    return [
      object('cim:PowerTransformer', transformer, link('cim:Equipment.EquipmentContainer', name)),
      ...ends,
      breaker(`${transformer} breaker`, `${name} 33 kV`),
    ];
  });
  const substation = object(
    'cim:Substation',
    name,
    text('cim:IdentifiedObject.description', 'Primary substation, two transformers of 24 MVA'),
  );
  return [substation, ...levels, ...transformers];
}

function breaker(name: string, container: string): DifferenceItem {
  return object(
    'cim:Breaker',
    name,
    text('cim:Switch.normalOpen', 'false'),
    text('cim:Switch.ratedCurrent', 1250),
    link('cim:Equipment.EquipmentContainer', container),
  );
}

/** A line to a place, with breaker and load at its end, its zero-sequence impedance and its course. */
function feederOf({ name, at, version }: Reinforcement, to: string, index: number) {
  const line = `${name} – ${to}`;
  const kilometres = 4.2 + 1.7 * index;
  const resistance = (version === 1 && index === 0 ? 0.164 : 0.146) * kilometres;
  const angle = (index * 2 * Math.PI) / 5 + 0.4;
  const course = Array.from({ length: POINTS_OF_FEEDER }, (_, step): [number, number] => [
    at[0] + 1.6 * STEP * step * Math.cos(angle + 0.09 * step),
    at[1] + STEP * step * Math.sin(angle + 0.09 * step),
  ]);
  const equipment = [
    object(
      'cim:ACLineSegment',
      line,
      text('cim:Conductor.length', kilometres.toFixed(1)),
      text('cim:ACLineSegment.r', resistance.toFixed(4)),
      text('cim:ACLineSegment.x', (0.289 * kilometres).toFixed(4)),
      text('cim:ACLineSegment.bch', (2.7e-6 * kilometres).toExponential(3)),
    ),
    breaker(`${line} breaker`, `${name} 11 kV`),
    object('cim:EnergyConsumer', `${to} load`, text('cim:EnergyConsumer.p', (3.1 + index).toFixed(1))),
    ...(version > 1 && index === 1 ? [breaker(`${line} sectionaliser`, `${name} 11 kV`)] : []),
  ];
  const shortCircuit = change(
    line,
    text('cim:ACLineSegment.r0', (3 * resistance).toFixed(4)),
    text('cim:ACLineSegment.x0', (3 * 0.289 * kilometres).toFixed(4)),
  );
  return { equipment, shortCircuit, location: locationItems(`${line} course`, line, course) };
}

/** What stays, and is set in another way: a breaker that was open closes, a line may carry more. */
function settingsOf({ name }: Reinforcement, state: 'old' | 'new'): DifferenceItem[] {
  const isNew = state === 'new';
  return [
    change(`${name} old bus section breaker`, text('cim:Switch.normalOpen', String(!isNew))),
    change(`${name} old feeder limit`, text('cim:CurrentLimit.normalValue', isNew ? 415 : 280)),
    change(`${name} old tap changer`, text('cim:TapChanger.neutralU', isNew ? 33 : 33.5)),
  ];
}

/** The line that the new substation makes superfluous. */
function oldLine({ name }: Reinforcement): DifferenceItem[] {
  const line = `${name} old tee`;
  return [
    object('cim:ACLineSegment', line, text('cim:Conductor.length', '6.8'), text('cim:ACLineSegment.r', '2.31')),
    ...[1, 2].map((number) =>
      object('cim:Terminal', `${line} terminal ${number}`, link('cim:Terminal.ConductingEquipment', line)),
    ),
  ];
}

function placeOf({ name, at }: Reinforcement): DifferenceItem[] {
  return locationItems(`${name} place`, name, [at]);
}

function oldPlace({ name, at: [longitude, latitude] }: Reinforcement): DifferenceItem[] {
  return locationItems(`${name} old course`, `${name} old tee`, [
    [longitude - 3 * STEP, latitude - 2 * STEP],
    [longitude - STEP, latitude - 2.4 * STEP],
    [longitude + 2 * STEP, latitude - 1.6 * STEP],
  ]);
}

/** A location and its points, in longitude and latitude. */
function locationItems(
  name: string,
  of: string,
  course: readonly (readonly [longitude: number, latitude: number])[],
): DifferenceItem[] {
  const points = course.map(([longitude, latitude], index) => ({
    ...object('cim:PositionPoint', `${name} ${index + 1}`),
    statements: [
      text('cim:PositionPoint.sequenceNumber', index + 1),
      text('cim:PositionPoint.xPosition', longitude.toFixed(5)),
      text('cim:PositionPoint.yPosition', latitude.toFixed(5)),
      link('cim:PositionPoint.Location', name),
    ],
  }));
  return [
    object(
      'cim:Location',
      name,
      link('cim:Location.CoordinateSystem', 'WGS 84'),
      link('cim:Location.PowerSystemResources', of),
    ),
    ...points,
  ];
}
