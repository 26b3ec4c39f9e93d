import type {
  CimFile,
  DifferenceItem,
  DifferenceModelHeader,
  DifferenceSection,
  Fault,
} from '../../subgraphs/grid-models/rdf/difference-model';
import { KNOWN_PROFILES } from '../../subgraphs/grid-models/rdf/member-profiles';
import type { ModelSink } from '../../subgraphs/grid-models/rdf/model-sink';
import type { Namespaces } from '../../subgraphs/grid-models/rdf/rdf-names';
import { differenceModelReader } from '../../subgraphs/grid-models/rdf/read-difference-model';

/** A parsed difference model in memory, and its faults. */
interface ReadModel {
  readonly header: DifferenceModelHeader | null;
  readonly namespaces: Namespaces;
  /** Undefined if the file has no such section. */
  readonly forward: DifferenceItem[] | undefined;
  readonly reverse: DifferenceItem[] | undefined;
  readonly preconditions: readonly DifferenceItem[];
  readonly faults: readonly Fault[];
}

/** Parses a complete difference model into memory. */
export function readDifferenceModel(bytes: Uint8Array | Iterable<Uint8Array>, file?: CimFile): ReadModel {
  const sections: Partial<Record<DifferenceSection, DifferenceItem[]>> = {};
  const preconditions: DifferenceItem[] = [];
  const faults: Fault[] = [];
  let reported: DifferenceModelHeader | null = null;
  const sink: ModelSink = {
    section: (section) => void (sections[section] ??= []),
    item: (section, item) => void sections[section]?.push(item),
    precondition: (item) => void preconditions.push(item),
    header: (header) => void (reported = header),
    fault: (fault) => void faults.push(fault),
  };
  const reader = differenceModelReader(sink, file && { file, profiles: KNOWN_PROFILES });
  for (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) if (!reader.write(chunk)) break;
  reader.end();
  return {
    header: reported,
    namespaces: reader.namespaces,
    forward: sections.forward,
    reverse: sections.reverse,
    preconditions,
    faults,
  };
}
