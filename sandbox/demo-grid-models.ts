import type { CimFile, DifferenceItem, DifferenceModelHeader } from '../subgraphs/grid-models/rdf/difference-model';
import { change, link, locationItems, mRID, object, text } from './demo-grid-items';

/** A difference model before it is written as RDF/XML. */
interface DemoModel {
  readonly header: DifferenceModelHeader;
  readonly forward: readonly DifferenceItem[];
  readonly reverse: readonly DifferenceItem[];
}

/** The three difference models of an archive. */
type DemoArchive = Readonly<Record<CimFile, DemoModel>>;

/** The place of a reinforcement. */
export interface Site {
  readonly name: string;
  /** Longitude and latitude of the new substation. */
  readonly at: readonly [longitude: number, latitude: number];
}

/** A fictional reinforcement: a new primary substation, its feeders to villages, and a line that is removed. */
export interface Reinforcement extends Site {
  readonly feeders: readonly string[];
  readonly created: string;
  /** Version of the archive. The second one corrects values of the first. */
  readonly version: number;
  /** Name of the reinforcement that this one depends on. */
  readonly buildsOn?: string;
}

/** The profile of each file. */
export const PROFILES: Readonly<Record<CimFile, string>> = {
  EQ: 'http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0',
  SC: 'http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0',
  GL: 'http://iec.ch/TC57/ns/CIM/GeographicalLocation-EU/3.0',
};

/** Distance between two points of a feeder in degrees. */
const POINT_DISTANCE = 0.012;
const POINTS_OF_FEEDER = 6;

/** Returns the three files of the archive with the changes of a reinforcement. */
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
      forward: [...substationLocation(plan), ...feeders.flatMap(({ location }) => location)],
      reverse: oldLineLocation(plan),
    },
  };
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

/** Returns the substation with two voltage levels and two transformers, each with a breaker. */
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

/** Returns a line to a village, with breaker, load, zero-sequence impedance and route. */
function feederOf({ name, at, version }: Reinforcement, to: string, index: number) {
  const line = `${name} – ${to}`;
  const kilometres = 4.2 + 1.7 * index;
  const resistance = (version === 1 && index === 0 ? 0.164 : 0.146) * kilometres;
  const angle = (index * 2 * Math.PI) / 5 + 0.4;
  const route = Array.from({ length: POINTS_OF_FEEDER }, (_, step): [number, number] => [
    at[0] + 1.6 * POINT_DISTANCE * step * Math.cos(angle + 0.09 * step),
    at[1] + POINT_DISTANCE * step * Math.sin(angle + 0.09 * step),
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
  return { equipment, shortCircuit, location: locationItems(`${line} course`, line, route) };
}

/**
 * Returns settings of existing equipment before or after the change: an open breaker closes, a line has a higher limit.
 */
function settingsOf({ name }: Site, state: 'old' | 'new'): DifferenceItem[] {
  const isNew = state === 'new';
  return [
    change(`${name} old bus section breaker`, text('cim:Switch.normalOpen', String(!isNew))),
    change(`${name} old feeder limit`, text('cim:CurrentLimit.normalValue', isNew ? 415 : 280)),
    change(`${name} old tap changer`, text('cim:TapChanger.neutralU', isNew ? 33 : 33.5)),
  ];
}

/** Returns the line that the new substation replaces. */
export function oldLine({ name }: Site): DifferenceItem[] {
  const line = `${name} old tee`;
  return [
    object('cim:ACLineSegment', line, text('cim:Conductor.length', '6.8'), text('cim:ACLineSegment.r', '2.31')),
    ...[1, 2].map((number) =>
      object('cim:Terminal', `${line} terminal ${number}`, link('cim:Terminal.ConductingEquipment', line)),
    ),
  ];
}

function substationLocation({ name, at }: Reinforcement): DifferenceItem[] {
  return locationItems(`${name} place`, name, [at]);
}

/** Returns the course of the line that the new substation replaces. */
export function oldLineLocation({ name, at: [longitude, latitude] }: Site): DifferenceItem[] {
  return locationItems(`${name} old course`, `${name} old tee`, [
    [longitude - 3 * POINT_DISTANCE, latitude - 2 * POINT_DISTANCE],
    [longitude - POINT_DISTANCE, latitude - 2.4 * POINT_DISTANCE],
    [longitude + 2 * POINT_DISTANCE, latitude - 1.6 * POINT_DISTANCE],
  ]);
}
