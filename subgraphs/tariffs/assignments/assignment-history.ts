/** The assignment of a tariff to an MPxN, or the end of one. It ends where the next one of the MPxN starts. */
export interface Assignment {
  readonly validFrom: Date;
  /** Null: no tariff applies from `validFrom` on. */
  readonly tariffId: string | null;
  /** The supplier that assigned the tariff, or whose assignment ends. */
  readonly mpid: string;
}

/** An assignment, and when it was recorded. */
export interface RecordedAssignment extends Assignment {
  readonly recordedAt: Date;
}

/** Returns when an assignment or a replacement takes effect: at its `validFrom`, but never before it was recorded. */
export function takesEffectAt(validFrom: Date, recordedAt: Date): Date {
  return validFrom.getTime() >= recordedAt.getTime() ? validFrom : recordedAt;
}

/**
 * The assignments of an MPxN in their order. A search starts at the newest one that has started, and passes over ends that do not count. At one
 * instant an assignment follows the end of the former one. At most one assignment, and one end of each supplier, per instant.
 */
export class AssignmentHistory<Stored extends RecordedAssignment> {
  /** Newest first. */
  private readonly ordered: Stored[];

  /** @param assignments in any order */
  constructor(assignments: readonly Stored[]) {
    this.ordered = assignments.toSorted(compared);
  }

  /** Adds an assignment. */
  add(assignment: Stored): void {
    const next = this.ordered.findIndex((each) => compared(each, assignment) > 0);
    this.ordered.splice(next === -1 ? this.ordered.length : next, 0, assignment);
  }

  /** Returns a history with further assignments. */
  with(assignments: readonly Stored[]): AssignmentHistory<Stored> {
    return assignments.length === 0 ? this : new AssignmentHistory([...this.ordered, ...assignments]);
  }

  /** Returns the newest assignment, of one supplier if given, that has started at an instant and counts; undefined before the first. */
  at(at: Date, mpid?: string): Stored | undefined {
    for (const each of this.startedAt(at)) if ((mpid ?? each.mpid) === each.mpid && this.counts(each)) return each;
    return undefined;
  }

  /** Returns the assignments that have started at an instant, newest first. */
  *startedAt(at: Date): Generator<Stored> {
    const first = this.firstStartedAt(at.getTime());
    for (let index = first; index < this.ordered.length; index += 1) yield this.ordered[index] as Stored;
  }

  /**
   * Whether an assignment counts: the end of one does not if the newest assignment at its instant is another supplier's. Assignments that are
   * recorded after the end took effect do not change that.
   */
  counts(step: Stored): boolean {
    if (step.tariffId !== null) return true;
    const endsAt = takesEffectAt(step.validFrom, step.recordedAt);
    for (const each of this.startedAt(step.validFrom))
      if (each.tariffId !== null && each.recordedAt.getTime() <= endsAt.getTime()) return each.mpid === step.mpid;
    return true;
  }

  /** Returns the index of the newest assignment that has started at an instant; the number of assignments if none has. */
  private firstStartedAt(at: number): number {
    let [low, high] = [0, this.ordered.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.ordered[middle] as Stored).validFrom.getTime() <= at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Newest first. */
function compared(one: RecordedAssignment, other: RecordedAssignment): number {
  const difference = other.validFrom.getTime() - one.validFrom.getTime();
  return difference === 0 ? Number(one.tariffId === null) - Number(other.tariffId === null) : difference;
}

/** Assignments of an MPxN in any order, or their history. */
export type Assignments<Stored extends RecordedAssignment> = readonly Stored[] | AssignmentHistory<Stored>;

/** Returns the history of assignments. */
export function historyOf<Stored extends RecordedAssignment>(
  assignments: Assignments<Stored>,
): AssignmentHistory<Stored> {
  return assignments instanceof AssignmentHistory ? assignments : new AssignmentHistory(assignments);
}
