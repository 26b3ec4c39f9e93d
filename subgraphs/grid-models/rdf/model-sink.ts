import type { CimFile, DifferenceItem, DifferenceModelHeader, DifferenceSection, Fault } from './difference-model';
import type { MemberProfiles } from './member-profiles';

/** Receives the parts of a difference model while it is parsed. The reader retains none of them. */
export interface ModelSink {
  /** A section starts; it may have no items. Not called for an absent section. */
  section(section: DifferenceSection): void;
  /**
   * An item has ended. Called in the order of the file. Values may be slices of a 64 KiB string that V8 retains with them: copy values that
   * outlive the call.
   */
  item(section: DifferenceSection, item: DifferenceItem): void;
  /** An item of `dm:preconditions` has ended: statements that must hold in the base model. The rules of `item` apply. */
  precondition(item: DifferenceItem): void;
  /** Called once, at the end of the file. Null if it has no header; missing fields are empty, and reported as faults. */
  header(header: DifferenceModelHeader | null): void;
  /** Called at most {@link MAX_FAULTS} times. The file has been parsed to its end, unless the last fault stops parsing. */
  fault(fault: Fault): void;
}

/** Reported faults of one file; then parsing stops. */
export const MAX_FAULTS = 100;

/** The member that a file must be, with the profiles that each member may have. */
export interface ExpectedMember {
  readonly file: CimFile;
  readonly profiles: MemberProfiles;
}
