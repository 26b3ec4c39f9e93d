/** An area in which one company is licensed to distribute electricity (decisions C.4). */
export interface LicenceArea {
  /** Label in host names and file names: `EPN`. */
  readonly code: string;
  readonly name: string;
  /** The company, or the group of companies, that holds the licence. */
  readonly group: string;
  /** The first two digits of the MPxNs in the area. */
  readonly distributorId: string;
  /** The letter of the grid supply point group. */
  readonly gspGroup: string;
  /** Alternative labels of the area. */
  readonly aliases: readonly string[];
}

const UKPN = 'UK Power Networks';
const NGED = 'National Grid Electricity Distribution';
const SPEN = 'SP Energy Networks';
const SSEN = 'Scottish and Southern Electricity Networks';
const NORTHERN_POWERGRID = 'Northern Powergrid';
const ELECTRICITY_NORTH_WEST = 'Electricity North West';

/** The fourteen licence areas of Great Britain, ordered by distributor id. */
export const LICENCE_AREAS: readonly LicenceArea[] = [
  area('EPN', 'Eastern', UKPN, '10', 'A'),
  area('EMID', 'East Midlands', NGED, '11', 'B', 'EMIDS'),
  area('LPN', 'London', UKPN, '12', 'C'),
  area('SPM', 'Merseyside and North Wales', SPEN, '13', 'D'),
  area('WMID', 'West Midlands', NGED, '14', 'E', 'WMIDS'),
  area('NPGN', 'North East', NORTHERN_POWERGRID, '15', 'F', 'NE'),
  area('ENWL', 'North West', ELECTRICITY_NORTH_WEST, '16', 'G'),
  area('SHEPD', 'North Scotland', SSEN, '17', 'P'),
  area('SPD', 'South Scotland', SPEN, '18', 'N'),
  area('SPN', 'South Eastern', UKPN, '19', 'J'),
  area('SEPD', 'Southern', SSEN, '20', 'H'),
  area('SWALES', 'South Wales', NGED, '21', 'K'),
  area('SWEST', 'South Western', NGED, '22', 'L'),
  area('NPGY', 'Yorkshire', NORTHERN_POWERGRID, '23', 'M', 'Y'),
];

const BY_LABEL: ReadonlyMap<string, LicenceArea> = new Map(
  LICENCE_AREAS.flatMap((each) => [each.code, ...each.aliases].map((label) => [label, each] as const)),
);

/** Returns the licence area with a code or alias, case-insensitive; undefined if there is none. */
export function licenceAreaOf(label: string): LicenceArea | undefined {
  return BY_LABEL.get(label.toUpperCase());
}

function area(
  code: string,
  name: string,
  group: string,
  distributorId: string,
  gspGroup: string,
  ...aliases: string[]
): LicenceArea {
  return { code, name, group, distributorId, gspGroup, aliases };
}
