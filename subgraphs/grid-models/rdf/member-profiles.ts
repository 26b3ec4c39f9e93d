import { CIM_FILES, type CimFile } from './difference-model';

/** URIs of profiles by member. A member must have at least one of those of its file (decisions C.2). */
export type MemberProfiles = Readonly<Record<CimFile, readonly string[]>>;

/** The profiles that this software accepts without a setting. */
export const KNOWN_PROFILES: MemberProfiles = {
  EQ: ['http://iec.ch/TC57/ns/CIM/CoreEquipment-EU/3.0', 'http://ofgem.gov.uk/ns/CIM/LTDS/Equipment/6.0'],
  SC: ['http://iec.ch/TC57/ns/CIM/ShortCircuit-EU/3.0'],
  GL: ['http://iec.ch/TC57/ns/CIM/GeographicalLocation-EU/3.0'],
};

/** Returns the known profiles with further ones of each member. */
export function profilesWith(added: Partial<MemberProfiles> = {}): MemberProfiles {
  const of = (file: CimFile) => [...KNOWN_PROFILES[file], ...(added[file] ?? [])];
  return { EQ: of('EQ'), SC: of('SC'), GL: of('GL') };
}

/**
 * Parses the JSON text of GRID_PROFILES: an object with lists of URIs under `EQ`, `SC` and `GL`, each optional. Returns all violations if it
 * has any other form.
 */
export function addedProfiles(
  text: string,
): { readonly profiles: Partial<MemberProfiles> } | { readonly violations: readonly string[] } {
  const members = parsedObject(text);
  if (members === undefined)
    return { violations: ['must contain a JSON object with lists of URIs under EQ, SC and GL'] };
  const violations = Object.entries(members).flatMap(([member, uris]) => {
    if (!CIM_FILES.includes(member as CimFile)) return [`${JSON.stringify(member)} is not one of EQ, SC, GL`];
    return isListOfUris(uris) ? [] : [`${member} must be a list of absolute URIs`];
  });
  return violations.length > 0 ? { violations } : { profiles: members };
}

function parsedObject(text: string): Partial<MemberProfiles> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** White space, which URL.canParse ignores at both ends, would match no profile of an archive. */
function isListOfUris(value: unknown): boolean {
  return Array.isArray(value) && value.every((uri) => typeof uri === 'string' && !/\s/.test(uri) && URL.canParse(uri));
}
