import type { CimFile, DifferenceItem } from '../subgraphs/grid-models/rdf/difference-model';
import type { WritableFullModel } from '../subgraphs/grid-models/rdf/write-difference-model';
import { change, link, locationItems, mRID, object, text } from './demo-grid-items';
import { PROFILES, type Site, oldLine, oldLineLocation } from './demo-grid-models';

/** The three full models of a base model. */
type DemoBase = Readonly<Record<CimFile, WritableFullModel>>;

/** The network at a site before its reinforcement. */
export interface ExistingSite extends Site {
  /** Neutral voltage of the old tap changer in kilovolts. The reinforcements expect 33.5. */
  readonly neutralKilovolts: number;
}

/** Returns the base model of an area: what the reinforcements of its sites change, remove and refer to. */
export function baseModel(sites: readonly ExistingSite[]): DemoBase {
  const coordinateSystem = object(
    'cim:CoordinateSystem',
    'WGS 84',
    text('cim:CoordinateSystem.crsUrn', 'urn:ogc:def:crs:EPSG::4326'),
  );
  return {
    EQ: fullModel('EQ', [], sites.flatMap(equipment)),
    SC: fullModel('SC', ['EQ'], sites.map(shortCircuit)),
    GL: fullModel('GL', ['EQ'], [coordinateSystem, ...sites.flatMap(locations)]),
  };
}

function fullModel(
  file: CimFile,
  dependentOn: readonly CimFile[],
  items: readonly DifferenceItem[],
): WritableFullModel {
  return {
    header: {
      mRID: baseMRID(file),
      created: '2026-04-01T08:00:00Z',
      scenarioTime: '2026-05-01T00:00:00Z',
      modelingAuthoritySet: 'http://ltds.example/fictional-network',
      profile: [PROFILES[file]],
      description: 'The fictional network of the sandbox',
      version: '001',
      dependentOn: dependentOn.map(baseMRID),
      supersedes: [],
    },
    items,
  };
}

/** Returns the identifier of the full model on which the difference models of a file depend. */
const baseMRID = (file: CimFile): string => mRID(`base ${file}`);

/** Returns an old substation with a bus section, a limit and a tap changer, and the line that its reinforcement removes. */
function equipment(site: ExistingSite): DifferenceItem[] {
  const old = `${site.name} old`;
  return [
    object('cim:Substation', `${old} substation`),
    object('cim:VoltageLevel', `${old} 33 kV`, link('cim:VoltageLevel.Substation', `${old} substation`)),
    object('cim:BusbarSection', `${old} busbar`, link('cim:Equipment.EquipmentContainer', `${old} 33 kV`)),
    object(
      'cim:Breaker',
      `${old} bus section breaker`,
      text('cim:Switch.normalOpen', 'true'),
      text('cim:Switch.ratedCurrent', 800),
      link('cim:Equipment.EquipmentContainer', `${old} 33 kV`),
    ),
    object('cim:CurrentLimit', `${old} feeder limit`, text('cim:CurrentLimit.normalValue', 280)),
    object('cim:RatioTapChanger', `${old} tap changer`, text('cim:TapChanger.neutralU', site.neutralKilovolts)),
    ...oldLine(site),
  ];
}

function shortCircuit({ name }: ExistingSite): DifferenceItem {
  return change(`${name} old busbar`, text('cim:BusbarSection.ipMax', 25_000));
}

function locations(site: ExistingSite): DifferenceItem[] {
  const [longitude, latitude] = site.at;
  const place = locationItems(`${site.name} old place`, `${site.name} old substation`, [[longitude - 0.03, latitude]]);
  return [...place, ...oldLineLocation(site)];
}
