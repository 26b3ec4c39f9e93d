import {
  type TariffLink,
  appliedTariff,
  assignedTariff,
  currentReplacement,
  assignmentAt,
  nextBoundary,
  tariffPeriod,
} from '../../../subgraphs/tariffs/assignments/applied-tariff';
import {
  type Assignment,
  type RecordedAssignment,
  takesEffectAt,
} from '../../../subgraphs/tariffs/assignments/assignment-history';
import { endOutcome } from '../../../subgraphs/tariffs/assignments/assignment-end-rules';
import {
  type AssignmentOutcome,
  assignmentOutcome,
  startOutcome,
} from '../../../subgraphs/tariffs/assignments/assignment-rules';
import { eventsOfChange, publishedAfter } from '../../../subgraphs/tariffs/events/tariff-event';
import { violationLines } from '../../support/access-records';

/** Returns a day of June 2026, at midnight UTC. */
const june = (day: number) => new Date(Date.UTC(2026, 5, day));
const justBefore = (instant: Date) => new Date(instant.getTime() - 1);
/** Returns an assignment, or the end of one, that is recorded before June. */
const step = (day: number, tariffId: string | null, mpid = 'LAPW'): RecordedAssignment => ({
  validFrom: june(day),
  tariffId,
  mpid,
  recordedAt: june(0),
});

/** Tariffs by name: `[validFrom, validTo, replaced by, when]`. */
function links(tariffs: Record<string, [from: number, to?: number | null, by?: string, when?: number]>) {
  return new Map(
    Object.entries(tariffs).map(([tariffId, [from, to = null, by, when = 0]]): [string, TariffLink] => [
      tariffId,
      {
        validFrom: june(from),
        validTo: to === null ? null : june(to),
        replacedBy: by === undefined ? null : { tariffId: by, takesEffectAt: june(when) },
      },
    ]),
  );
}

describe('The tariff that applies to an MPxN', () => {
  const known = links({ flat: [1], night: [1], dusk: [1] });
  const steps = [step(20, null), step(5, 'flat'), step(10, 'night')];

  it('is that of its newest assignment, from its start until the next', () => {
    const applied = (at: Date) => appliedTariff(steps, known, at);
    expect(
      [justBefore(june(5)), june(5), justBefore(june(10)), june(10), justBefore(june(20)), june(20)].map(applied),
    ).toEqual([null, 'flat', 'flat', 'night', 'night', null]);
    expect(assignmentAt(steps, june(4))).toBeUndefined();
    expect(assignmentAt(steps, june(30))).toBe(steps[0]);
  });

  it('is found in a few comparisons, however many assignments have ended', () => {
    let reads = 0;
    const counted = (each: RecordedAssignment): RecordedAssignment => ({
      ...each,
      get recordedAt() {
        reads += 1;
        return each.recordedAt;
      },
    });
    const many = Array.from({ length: 1000 }, (_, day) => [step(2 * day, 'flat'), step(2 * day + 1, null)]).flat();
    expect(assignmentAt(many.map(counted), june(1999))).toMatchObject({ validFrom: june(1999), tariffId: null });
    expect(reads).toBeLessThan(10);
  });

  it('is none without an assignment, or if the tariff is unknown', () => {
    expect(appliedTariff([], known, june(5))).toBeNull();
    expect(appliedTariff([step(1, 'lost')], known, june(5))).toBeNull();
    expect(assignedTariff([], known, june(5))).toBeUndefined();
  });

  it('passes from one supplier to the next in the order of their assignments', () => {
    const moved = [step(5, 'flat'), step(10, 'dusk', 'DUNL')];
    expect(assignedTariff(moved, known, justBefore(june(10)))).toEqual({ tariffId: 'flat', mpid: 'LAPW' });
    expect(assignedTariff(moved, known, june(10))).toEqual({ tariffId: 'dusk', mpid: 'DUNL' });
  });

  it('is not ended by another supplier, unless that end took effect before the assignment was recorded', () => {
    const end = step(20, null);
    const moved = (recorded: number) => [
      step(5, 'flat'),
      { ...step(10, 'dusk', 'DUNL'), recordedAt: june(recorded) },
      end,
    ];
    expect(assignedTariff(moved(8), known, june(20))).toEqual({ tariffId: 'dusk', mpid: 'DUNL' });
    expect(assignedTariff(moved(25), known, june(20))).toEqual({ tariffId: null, mpid: 'LAPW' });
    expect(assignedTariff([...moved(8), step(15, 'night')], known, june(20))).toEqual({ tariffId: null, mpid: 'LAPW' });
  });

  it('starts when the former one of the supplier ends', () => {
    for (const both of [
      [step(20, null), step(20, 'night')],
      [step(20, 'night'), step(20, null)],
    ])
      expect(appliedTariff([step(5, 'flat'), ...both], known, june(20))).toBe('night');
  });

  it('is none before the tariff is valid and from its end on', () => {
    const bounded = links({ flat: [6, 8] });
    const applied = (at: Date) => appliedTariff([step(5, 'flat')], bounded, at);
    expect([june(5), justBefore(june(6)), june(6), justBefore(june(8)), june(8)].map(applied)).toEqual([
      ...[null, null, 'flat', 'flat', null],
    ]);
    expect(assignedTariff([step(5, 'flat')], bounded, june(9))).toEqual({ tariffId: 'flat', mpid: 'LAPW' });
  });
});

describe('A replacement', () => {
  const chain = links({ one: [1, null, 'two', 10], two: [10, null, 'three', 20], three: [20] });

  it('takes effect at its validFrom, never before it was published', () => {
    expect(takesEffectAt(june(10), june(1))).toEqual(june(10));
    expect(takesEffectAt(june(10), june(12))).toEqual(june(12));
    expect(takesEffectAt(june(10), june(10))).toEqual(june(10));
  });

  it('applies to the MPxNs of the replaced tariff when it takes effect, along a chain', () => {
    const applied = (at: Date) => appliedTariff([step(5, 'one')], chain, at);
    expect([june(5), justBefore(june(10)), june(10), justBefore(june(20)), june(20)].map(applied)).toEqual([
      ...['one', 'one', 'two', 'two', 'three'],
    ]);
  });

  it('applies to MPxNs that are assigned to the replaced tariff later', () => {
    expect(appliedTariff([step(15, 'one')], chain, june(15))).toBe('two');
    expect(currentReplacement('one', chain, june(25))).toBe('three');
    expect(currentReplacement('three', chain, june(25))).toBe('three');
    expect(currentReplacement('unknown', chain, june(25))).toBe('unknown');
  });

  it('that has not taken effect hides those after it, even if they have', () => {
    const late = links({ one: [1, null, 'two', 20], two: [10, null, 'three', 10], three: [10] });
    expect(appliedTariff([step(5, 'one')], late, june(15))).toBe('one');
    expect(appliedTariff([step(5, 'one')], late, june(20))).toBe('three');
  });

  it('of a tariff whose validity has ended applies when it takes effect; until then no tariff applies', () => {
    const gap = links({ one: [1, 8, 'two', 10], two: [10] });
    const applied = (at: Date) => appliedTariff([step(5, 'one')], gap, at);
    expect([june(7), june(8), june(9), june(10)].map(applied)).toEqual(['one', null, null, 'two']);
  });

  it('that forms a circle is followed once', () => {
    const circle = links({ one: [1, null, 'two', 2], two: [1, null, 'one', 2] });
    expect(currentReplacement('one', circle, june(5))).toBe('two');
  });
});

describe('An assignment that is recorded', () => {
  const steps = [step(5, 'flat'), step(20, 'night')];
  const outcome = (each: Assignment) => outcomeText(startOutcome(steps, each, { now: june(10) }));

  it('is added where none starts: in the past, in the future, between others', () => {
    expect([step(1, 'dusk'), step(7, 'dusk'), step(15, 'dusk', 'DUNL'), step(25, 'flat')].map(outcome)).toEqual([
      ...['added', 'added', 'added', 'added'],
    ]);
    expect(outcomeText(startOutcome([], step(7, 'dusk'), { now: june(10) }))).toBe('added');
  });

  it('changes nothing if it equals the stored one', () => {
    expect([step(5, 'flat'), step(20, 'night')].map(outcome)).toEqual(['unchanged', 'unchanged']);
  });

  it('supersedes one that has not started, even of another supplier', () => {
    expect([step(20, 'dusk'), step(20, 'night', 'DUNL')].map(outcome)).toEqual(['supersedes', 'supersedes']);
  });

  it('does not supersede one that has started', () => {
    const history = 'CNF001 from: must not be the start of an assignment that has already started';
    expect(outcome(step(5, 'dusk'))).toBe(history);
    expect(outcomeText(startOutcome(steps, step(20, 'dusk'), { now: june(20) }))).toBe(history);
    expect(outcomeText(startOutcome(steps, step(20, 'dusk'), { now: justBefore(june(20)) }))).toBe('supersedes');
  });
});

describe('A tariff that a supplier assigns', () => {
  const noEnd = { validTo: null };
  const steps = [step(2, 'flat'), step(6, null), step(8, 'flat'), step(20, 'night')];
  const outcome = (each: Assignment, byAdmin = false, tariff: Pick<TariffLink, 'validTo'> = noEnd, now = june(10)) =>
    outcomeText(assignmentOutcome(steps, each, tariff, { byAdmin, now }));
  const BEFORE_NOW = 'CNF001 from: must not be in the past';
  const ANOTHER = 'CNF001 from: must not be the start of an assignment of another supplier';

  it('does not supersede a future one of another supplier; that of an admin does', () => {
    expect(outcome(step(20, 'dusk', 'DUNL'))).toBe(ANOTHER);
    expect(outcome(step(20, 'dusk', 'DUNL'), true)).toBe('supersedes');
    expect(outcome(step(20, 'flat'))).toBe('supersedes');
  });

  it("starts at the end of another supplier's tariff, which remains", () => {
    const ending = [step(2, 'flat'), step(20, null)];
    for (const withdrawsEnd of [false, true]) {
      const assigning = { byAdmin: false, now: june(10), withdrawsEnd };
      expect(assignmentOutcome(ending, step(20, 'dusk', 'DUNL'), noEnd, assigning)).toEqual({ kind: 'added' });
    }
  });

  it("does not reveal another supplier's end that has taken effect: withdrawsEnd concerns the own end only", () => {
    const ended = [step(2, 'flat'), step(20, null)];
    const assigning = { byAdmin: false, now: june(25), withdrawsEnd: true };
    expect(outcomeText(assignmentOutcome(ended, step(20, 'dusk', 'DUNL'), noEnd, assigning))).toBe('added');
  });

  it("follows the end of the supplier's former one at the same instant, or withdraws that end if it is planned", () => {
    const ending = [step(2, 'flat'), step(20, null)];
    const at = (day: number, withdrawsEnd: boolean, assignments = ending) =>
      outcomeText(
        assignmentOutcome(assignments, step(20, 'flat'), noEnd, { byAdmin: false, now: june(day), withdrawsEnd }),
      );
    expect([at(10, false), at(25, false), at(10, true)]).toEqual(['added', 'added', 'supersedes']);
    expect(at(20, true)).toBe('CNF001 withdrawsEnd: must be false, because the end has already taken effect');
    const both = [...ending, step(20, 'flat')];
    expect([at(10, false, both), at(10, true, both)]).toEqual(['unchanged', 'supersedes']);
  });

  it('may start before and after future ones of other suppliers', () => {
    expect([15, 25].map((day) => outcome(step(day, 'dusk', 'DUNL')))).toEqual(['added', 'added']);
  });

  it("must not start in the past if another supplier's tariff applied then or since; that of an admin may", () => {
    for (const day of [1, 2, 4, 6, 7, 8, 9]) {
      expect([day, outcome(step(day, 'dusk', 'DUNL'))]).toEqual([day, BEFORE_NOW]);
      expect([day, outcome(step(day, 'dusk'))]).not.toEqual([day, BEFORE_NOW]);
    }
    expect(outcome(step(9, 'dusk', 'DUNL'), true)).toBe('added');
    expect(outcome(step(10, 'dusk', 'DUNL'))).toBe('added');
    expect(outcome(step(7, 'dusk', 'DUNL'), false, noEnd, june(7))).toBe('added');
  });

  it("may start in the past if no other supplier's tariff applied then or since", () => {
    const assigning = { byAdmin: false, now: june(10) };
    const ended = [step(2, 'flat'), step(6, null), step(20, 'night')];
    const outcomeAt = (day: number) =>
      outcomeText(assignmentOutcome(ended, step(day, 'dusk', 'DUNL'), noEnd, assigning));
    expect([outcomeAt(7), outcomeAt(5)]).toEqual(['added', BEFORE_NOW]);
    expect(outcomeText(assignmentOutcome([], step(3, 'dusk', 'DUNL'), noEnd, assigning))).toBe('added');
  });

  it('is unchanged if it equals the stored one, whatever started since', () => {
    const assigning = { byAdmin: false, now: june(10) };
    const lost = [step(2, 'flat'), step(8, 'dusk', 'DUNL')];
    expect(assignmentOutcome(lost, step(2, 'flat'), noEnd, assigning)).toEqual({
      kind: 'unchanged',
      existing: lost[0],
    });
  });

  it('must start before the end of its validity, even by an admin', () => {
    const rejected = 'VAL003 from: must be before the end of the validity of the tariff';
    const tariff = { validTo: june(15) };
    for (const byAdmin of [false, true])
      expect(
        [justBefore(june(15)), june(15), june(16)].map((validFrom) =>
          outcome({ validFrom, tariffId: 'dusk', mpid: 'LAPW' }, byAdmin, tariff),
        ),
      ).toEqual(['added', rejected, rejected]);
  });
});

describe('The end of an assignment', () => {
  const steps = [step(5, 'flat'), step(20, 'night', 'DUNL')];
  const end = (day: number, mpid: string | null, now = june(10)) =>
    outcomeText(endOutcome(steps, june(day), mpid, now));
  const OTHER = 'CNF001 at: must be an instant at which a tariff of this supplier applies';

  it('is recorded for the supplier whose tariff is assigned then', () => {
    expect([end(7, 'LAPW'), end(15, 'LAPW'), end(25, 'DUNL')]).toEqual(['added', 'added', 'added']);
    expect(endOutcome(steps, june(25), null, june(10))).toEqual({ kind: 'added', mpid: 'DUNL' });
    expect(endOutcome(steps, june(15), null, june(10))).toEqual({ kind: 'added', mpid: 'LAPW' });
  });

  it('is rejected for other suppliers, without revealing whether a tariff is assigned', () => {
    expect([end(7, 'DUNL'), end(25, 'LAPW'), end(19, 'DUNL')]).toEqual([OTHER, OTHER, OTHER]);
    expect(end(1, 'LAPW')).toBe(OTHER);
    expect(end(1, null)).toBe('CNF001 at: must be an instant at which a tariff applies');
  });

  it('supersedes an assignment that has not started', () => {
    expect(end(20, 'DUNL')).toBe('supersedes');
    expect(end(5, 'LAPW')).toBe('CNF001 at: must not be the start of an assignment that has already started');
  });

  it('by an admin at the planned start of another supplier withdraws it and ends the tariff that would continue', () => {
    const ended = [...steps, step(20, null)];
    expect(endOutcome(steps, june(20), null, june(10))).toEqual({
      ...{ kind: 'supersedes', superseded: [steps[1]], mpid: 'LAPW' },
    });
    expect(endOutcome(ended, june(20), null, june(10))).toEqual({
      ...{ kind: 'supersedes', superseded: [steps[1], ended[2]], mpid: 'LAPW' },
    });
    const gap = [step(5, 'flat'), step(8, null), step(20, 'night', 'DUNL')];
    for (const planned of [[step(20, 'night', 'DUNL')], gap])
      expect(endOutcome(planned, june(20), null, june(10))).toMatchObject({ kind: 'supersedes', mpid: 'DUNL' });
  });

  it('withdraws the assignment that was planned to follow an end at the same instant', () => {
    const planned = [step(5, 'flat'), step(20, null), step(20, 'night')];
    const outcome = endOutcome(planned, june(20), 'LAPW', june(10));
    expect(outcome).toEqual({ kind: 'supersedes', superseded: [planned[2], planned[1]], mpid: 'LAPW' });
  });

  it('is rejected in the past if another assignment of the supplier has started since, whose consents it would end', () => {
    const next = [step(2, 'flat'), step(8, 'dusk')];
    const won = [step(2, 'flat'), step(5, 'night', 'DUNL'), step(8, 'flat')];
    for (const mpid of ['LAPW', null])
      expect(outcomeText(endOutcome(next, june(7), mpid, june(10)))).toBe('CNF001 at: must not be in the past');
    expect(outcomeText(endOutcome(won, june(5), 'LAPW', june(10)))).toBe('CNF001 at: must not be in the past');
    expect(outcomeText(endOutcome(won, june(5), 'LAPW', june(7)))).toBe('added');
  });

  it("is rejected in the past if another supplier's tariff has applied since, even for an admin", () => {
    const lost = [step(2, 'flat'), step(8, 'dusk', 'DUNL')];
    const outcome = (day: number, mpid: string | null, now: number) =>
      outcomeText(endOutcome(lost, june(day), mpid, june(now)));
    for (const mpid of ['LAPW', null]) {
      expect(outcome(7, mpid, 10)).toBe('CNF001 at: must not be in the past');
      expect([outcome(7, mpid, 7), outcome(9, mpid === null ? null : 'DUNL', 10)]).toEqual(['added', 'added']);
    }
  });

  it('is ignored after the assignment of another supplier, which may then end its own', () => {
    const moot = [step(5, 'flat'), step(12, 'dusk', 'DUNL'), step(15, null)];
    expect(outcomeText(endOutcome(moot, june(16), 'DUNL', june(10)))).toBe('added');
    expect(outcomeText(endOutcome(moot, june(15), 'DUNL', june(10)))).toBe('added');
    expect(outcomeText(endOutcome(moot, june(15), 'LAPW', june(10)))).toBe('unchanged');
    expect(outcomeText(endOutcome(moot, june(16), 'LAPW', june(10)))).toBe(OTHER);
  });

  it('remains at the start of an assignment of another supplier, which may withdraw its own start', () => {
    const ended = [step(5, 'flat'), step(20, null), step(20, 'dusk', 'DUNL')];
    expect(endOutcome(ended, june(20), 'LAPW', june(10))).toEqual({ kind: 'unchanged', existing: ended[1] });
    const outcome = { kind: 'supersedes', superseded: [ended[2]], mpid: 'DUNL' };
    expect(endOutcome(ended, june(20), 'DUNL', june(10))).toEqual(outcome);
  });

  it("of the losing supplier may be at the start of another supplier's assignment, before and after it", () => {
    expect([end(20, 'LAPW'), end(20, 'LAPW', june(25))]).toEqual(['added', 'added']);
    const ended = [step(5, 'flat'), step(12, null), step(20, 'night', 'DUNL')];
    expect(outcomeText(endOutcome(ended, june(20), 'LAPW', june(10)))).toBe(OTHER);
    expect(outcomeText(endOutcome(steps, june(20), 'FELL', june(10)))).toBe(OTHER);
  });

  it('is unchanged if repeated', () => {
    const ended = [...steps, step(15, null)];
    for (const mpid of ['LAPW', null])
      expect(endOutcome(ended, june(15), mpid, june(10))).toEqual({ kind: 'unchanged', existing: ended[2] });
  });

  it('is rejected after an earlier end of the assignment, which remains', () => {
    const ended = [...steps, step(15, null)];
    const before =
      'CNF001 at: must not be after the end of the assignment; assignTariff with withdrawsEnd at its instant withdraws a planned end';
    for (const mpid of ['LAPW', null]) expect(outcomeText(endOutcome(ended, june(17), mpid, june(10)))).toBe(before);
    expect(outcomeText(endOutcome(ended, june(17), 'DUNL', june(10)))).toBe(OTHER);
  });

  it('withdraws the planned end of its supplier at a later instant, unless that ends a later assignment', () => {
    const planned = [step(5, 'flat'), step(15, null), step(20, 'night')];
    const moved = (day: number, mpid: string | null, known: readonly ReturnType<typeof step>[], now = 10) => {
      const outcome = endOutcome(known, june(day), mpid, june(now));
      return outcome.kind === 'supersedes' ? outcome.superseded : outcome.kind;
    };
    for (const mpid of ['LAPW', null])
      expect([8, 12].map((day) => moved(day, mpid, planned))).toEqual([[planned[1]], [planned[1]]]);
    expect(moved(12, 'LAPW', [step(5, 'flat'), step(14, 'dusk'), step(15, null)])).toBe('added');
    expect(moved(12, 'LAPW', [step(5, 'flat'), step(14, 'dusk', 'DUNL'), step(15, null, 'DUNL')])).toBe('added');
    const sameInstant = [step(5, 'flat'), step(15, null), step(15, 'night')];
    expect(moved(12, 'LAPW', sameInstant)).toEqual([sameInstant[1]]);
    const lost = [step(5, 'flat'), step(12, 'dusk', 'DUNL'), step(15, null)];
    expect(moved(12, 'LAPW', lost)).toEqual([lost[2]]);
    expect(moved(8, 'LAPW', planned, 16)).toBe('added');
  });
});

describe('The tariffs that apply to an MPxN from an instant on', () => {
  const known = links({ flat: [6, 12], dusk: [20] });
  const recorded = (each: Assignment, day = 1) => ({ ...each, recordedAt: june(day) });
  const steps = [recorded(step(5, 'flat')), recorded(step(15, 'dusk', 'DUNL')), recorded(step(25, null, 'DUNL'))];
  const nothing = (day: number, ceased = day, isEnd = false) => ({
    ...{ tariffId: null, at: june(day), ceasedAt: june(ceased), isEnd },
  });

  it.each([
    ['before the first assignment', june(4), undefined],
    ['before the tariff is valid', june(5), nothing(5)],
    ['while the tariff is valid', june(6), { tariffId: 'flat', mpid: 'LAPW', at: june(6) }],
    ['from the end of the tariff on', june(12), nothing(12)],
    ['when a tariff of another supplier is assigned that is not yet valid', june(15), nothing(15)],
    ['when that becomes valid', june(20), { tariffId: 'dusk', mpid: 'DUNL', at: june(20) }],
    ['when its assignment ends', june(25), nothing(25, 25, true)],
    ['after the end of the assignment', june(28), nothing(28, 25, true)],
  ])('%s', (_, at, expected) => expect(tariffPeriod(steps, known, at)).toEqual(expected));

  it('ends no earlier than the end was recorded', () => {
    const late = [recorded(step(5, 'flat')), recorded(step(7, null), 10)];
    expect(tariffPeriod(late, known, june(11))).toEqual(nothing(11, 10, true));
  });
});

describe('The next instant at which the tariff of an assignment changes', () => {
  const chain = links({ one: [1, 8, 'two', 10], two: [9, 30, 'three', 20], three: [18] });
  const next = (day: number) => nextBoundary('one', chain, june(day))?.getUTCDate() ?? null;

  it('is a start, an end or a replacement of it or of its replacements', () => {
    expect([0, 1, 8, 9, 10, 18, 20, 30].map(next)).toEqual([1, 8, 9, 10, 18, 20, 30, null]);
    expect(nextBoundary('unknown', chain, june(1))).toBeNull();
  });

  it('is found among tariffs that replace each other in a circle', () => {
    const circle = links({ one: [1, null, 'two', 3], two: [1, null, 'one', 3] });
    expect(nextBoundary('one', circle, june(1))).toEqual(june(3));
  });
});

describe('The events of a change of what applies', () => {
  const none = new Set<string>();
  const at = june(20);
  const flat = { tariffId: 'flat', mpid: 'LAPW', ceasedAt: null };
  /**
   * Returns a published tariff that ceased to apply, by its validity or, without tariff, by the end of its assignment.
   */
  const ceased = (day: number, tariffId: string | null = 'flat') => ({ tariffId, mpid: 'LAPW', ceasedAt: june(day) });
  const applies = (tariffId: string, mpid = 'LAPW') => ({ tariffId, mpid, at });
  const nothing = { tariffId: null, at, ceasedAt: june(19), isEnd: true };
  const change = { type: 'tariff.change', mpid: 'LAPW', tariffId: 'night', ceasedAt: null };
  const gained = { type: 'tariff.change', mpid: 'DUNL', tariffId: 'dusk', ceasedAt: null };
  const lost = (since: Date) => ({ type: 'supplier.change', mpid: 'LAPW', tariffId: null, ceasedAt: since });
  const dusk = applies('dusk', 'DUNL');
  const daysBefore = (days: number) => new Date(at.getTime() - days * 86_400_000);

  it.each([
    ['the first tariff', undefined, applies('night'), none, [change]],
    ['nothing, before the first tariff', undefined, nothing, none, []],
    ['an unrelated tariff of the same supplier', flat, applies('night'), none, [change]],
    ['a tariff after an ended assignment', ceased(10, null), applies('night'), none, [change]],
    ['the same tariff after an ended assignment', ceased(10, null), applies('night'), new Set(['night']), [change]],
    ['the replacement', flat, applies('night'), new Set(['flat']), [{ ...change, type: 'tariff.update' }]],
    ['an indirect one', flat, applies('night'), new Set(['x', 'flat']), [{ ...change, type: 'tariff.update' }]],
    ['one after its validity', ceased(10), applies('night'), new Set(['flat']), [{ ...change, type: 'tariff.update' }]],
    ['a replacement of another tariff', flat, applies('night'), new Set(['x']), [change]],
    ['the same tariff', flat, applies('flat'), none, []],
    ['the same tariff after a gap', ceased(10), applies('flat'), none, [{ ...change, tariffId: 'flat' }]],
    ['an end', flat, nothing, none, [{ ...change, tariffId: null, ceasedAt: june(19) }]],
    ['an end of a tariff that ceased before', ceased(10), nothing, none, []],
  ])('are as specified for %s', (_, former, next, replaced, expected) => {
    expect(eventsOfChange(former, next, replaced, [])).toEqual(expected);
  });

  const assigned = [step(1, 'flat'), step(20, 'dusk', 'DUNL')];
  const endedOn = (end: Date) => ({ validFrom: end, tariffId: null, mpid: 'LAPW', recordedAt: end });
  const long = justBefore(daysBefore(90));
  const early = { ...step(1, 'flat'), validFrom: daysBefore(200), recordedAt: daysBefore(200) };
  it.each([
    ['without a gap, with an event for each supplier', flat, assigned, [lost(at), gained]],
    ['after an end', ceased(10, null), [...assigned, step(10, null)], [lost(june(10)), gained]],
    [
      '90 days after an end',
      ceased(10, null),
      [early, step(20, 'dusk', 'DUNL'), endedOn(daysBefore(90))],
      [lost(daysBefore(90)), gained],
    ],
    [
      'more than 90 days after an end, without an event of the former one',
      ceased(10, null),
      [early, step(20, 'dusk', 'DUNL'), endedOn(long)],
      [gained],
    ],
    [
      'that follows a tariff that was no longer valid for more than 90 days',
      { ...flat, ceasedAt: long },
      assigned,
      [lost(at), gained],
    ],
    [
      '5 days after an end, and more than 90 days after the validity of the former tariff',
      { ...flat, tariffId: null, ceasedAt: long },
      [...assigned, step(15, null)],
      [lost(june(15)), gained],
    ],
    [
      'that was not valid for 100 days after its assignment started',
      { ...flat, ceasedAt: daysBefore(100) },
      [early, { ...endedOn(daysBefore(100)), tariffId: 'dusk', mpid: 'DUNL' }],
      [lost(daysBefore(100)), gained],
    ],
    [
      'more than 90 days after an end, also if a third supplier had the meter point for some days meanwhile',
      ceased(10, null),
      [
        ...[early, endedOn(daysBefore(150)), step(20, 'dusk', 'DUNL')],
        { ...endedOn(daysBefore(140)), tariffId: 'later', mpid: 'THRD' },
        { ...endedOn(daysBefore(130)), mpid: 'THRD' },
      ],
      [gained],
    ],
    [
      'after the former supplier assigned another tariff since an end',
      ceased(2, null),
      [...assigned, endedOn(long), step(2, 'night')],
      [lost(at), gained],
    ],
  ])('are as specified for the tariff of another supplier %s', (_, former, assignments, expected) => {
    expect(eventsOfChange(former, dusk, none, assignments)).toEqual(expected);
  });

  it.each([
    ['a tariff', ceased(10), applies('night'), { tariffId: 'night', mpid: 'LAPW', ceasedAt: null }],
    ['nothing, after a tariff', flat, { ...nothing, isEnd: false }, ceased(19)],
    ['nothing, after the end of an assignment', flat, nothing, ceased(19, null)],
    ['the end of an assignment, after its tariff ceased', ceased(10), nothing, ceased(10, null)],
    ['nothing, before the first tariff', undefined, nothing, undefined],
  ])('leave this as published last: %s', (_, former, next, expected) => {
    expect(publishedAfter(former, next)).toEqual(expected);
  });
});

function outcomeText(outcome: AssignmentOutcome): string {
  return outcome.kind === 'rejected' ? violationLines(outcome.violations).join() : outcome.kind;
}
