import {
  type TariffLink,
  type TariffStep,
  appliedTariff,
  assignedTariff,
  currentReplacement,
  stepAt,
  takesEffectAt,
} from '../../../subgraphs/tariffs/domain/applied-tariff';
import {
  type StepOutcome,
  assignmentOutcome,
  endOutcome,
  stepOutcome,
} from '../../../subgraphs/tariffs/domain/assignment-rules';
import { effectsOfStep } from '../../../subgraphs/tariffs/domain/effects';
import { told } from '../../support/access-records';

/** Days of June 2026, at midnight UTC. */
const june = (day: number) => new Date(Date.UTC(2026, 5, day));
const justBefore = (instant: Date) => new Date(instant.getTime() - 1);
const step = (day: number, tariffId: string | null, mpid = 'LAPW'): TariffStep => ({
  validFrom: june(day),
  tariffId,
  mpid,
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

describe('What applies to an MPxN', () => {
  const known = links({ flat: [1], night: [1], dusk: [1] });
  const steps = [step(20, null), step(5, 'flat'), step(10, 'night')];

  it('is what its newest step says: from its instant on, until the next', () => {
    const applied = (at: Date) => appliedTariff(steps, known, at);
    expect(
      [justBefore(june(5)), june(5), justBefore(june(10)), june(10), justBefore(june(20)), june(20)].map(applied),
    ).toEqual([null, 'flat', 'flat', 'night', 'night', null]);
    expect(stepAt(steps, june(4))).toBeUndefined();
    expect(stepAt(steps, june(30))).toBe(steps[0]);
  });

  it('is nothing when there are no steps, or the tariff is not known', () => {
    expect(appliedTariff([], known, june(5))).toBeNull();
    expect(appliedTariff([step(1, 'lost')], known, june(5))).toBeNull();
    expect(assignedTariff([], known, june(5))).toBeUndefined();
  });

  it('follows from one supplier to the next by the order of their steps', () => {
    const moved = [step(5, 'flat'), step(10, 'dusk', 'DUNL')];
    expect(assignedTariff(moved, known, justBefore(june(10)))).toEqual({ tariffId: 'flat', mpid: 'LAPW' });
    expect(assignedTariff(moved, known, june(10))).toEqual({ tariffId: 'dusk', mpid: 'DUNL' });
  });

  it('is nothing before the tariff is valid, and from its end on', () => {
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

  it('takes the MPxNs along when it takes effect, one after another', () => {
    const applied = (at: Date) => appliedTariff([step(5, 'one')], chain, at);
    expect([june(5), justBefore(june(10)), june(10), justBefore(june(20)), june(20)].map(applied)).toEqual([
      ...['one', 'one', 'two', 'two', 'three'],
    ]);
  });

  it('also holds for who comes to the old tariff later', () => {
    expect(appliedTariff([step(15, 'one')], chain, june(15))).toBe('two');
    expect(currentReplacement('one', chain, june(25))).toBe('three');
    expect(currentReplacement('three', chain, june(25))).toBe('three');
    expect(currentReplacement('unknown', chain, june(25))).toBe('unknown');
  });

  it('is not followed past one that has not taken effect, though the one after it has', () => {
    const late = links({ one: [1, null, 'two', 20], two: [10, null, 'three', 10], three: [10] });
    expect(appliedTariff([step(5, 'one')], late, june(15))).toBe('one');
    expect(appliedTariff([step(5, 'one')], late, june(20))).toBe('three');
  });

  it('of a tariff whose validity has ended applies when it takes effect, and nothing does until then', () => {
    const gap = links({ one: [1, 8, 'two', 10], two: [10] });
    const applied = (at: Date) => appliedTariff([step(5, 'one')], gap, at);
    expect([june(7), june(8), june(9), june(10)].map(applied)).toEqual(['one', null, null, 'two']);
  });

  it('that led in a circle would end', () => {
    const circle = links({ one: [1, null, 'two', 2], two: [1, null, 'one', 2] });
    expect(currentReplacement('one', circle, june(5))).toBe('two');
  });
});

describe('A step that is recorded', () => {
  const steps = [step(5, 'flat'), step(20, 'night')];
  const outcome = (each: TariffStep) => toldOf(stepOutcome(steps, each, june(10), 'from'));

  it('is added where none begins: in the past, in the future, between others', () => {
    expect([step(1, 'dusk'), step(7, 'dusk'), step(15, 'dusk', 'DUNL'), step(25, 'flat')].map(outcome)).toEqual([
      ...['added', 'added', 'added', 'added'],
    ]);
    expect(toldOf(stepOutcome([], step(7, 'dusk'), june(10), 'from'))).toBe('added');
  });

  it('changes nothing when it is there', () => {
    expect([step(5, 'flat'), step(20, 'night')].map(outcome)).toEqual(['unchanged', 'unchanged']);
  });

  it('takes the place of one that has not begun, also of another supplier', () => {
    expect([step(20, 'dusk'), step(20, 'night', 'DUNL')].map(outcome)).toEqual(['supersedes', 'supersedes']);
  });

  it('does not take the place of one that has', () => {
    const history = 'CNF001 from: is when another tariff began to apply, which has happened already';
    expect(outcome(step(5, 'dusk'))).toBe(history);
    expect(toldOf(stepOutcome(steps, step(20, 'dusk'), june(20), 'from'))).toBe(history);
    expect(toldOf(stepOutcome(steps, step(20, 'dusk'), justBefore(june(20)), 'from'))).toBe('supersedes');
  });
});

describe('A tariff that a supplier assigns', () => {
  const noEnd = { validTo: null };
  const steps = [step(2, 'flat'), step(6, null), step(8, 'flat'), step(20, 'night')];
  const outcome = (each: TariffStep, byAdmin = false, tariff: Pick<TariffLink, 'validTo'> = noEnd, now = june(10)) =>
    toldOf(assignmentOutcome(steps, each, tariff, { byAdmin, now }));
  const BEFORE_NOW = 'CNF001 from: must not begin before now';
  const ANOTHER = 'CNF001 from: another tariff begins to apply at this instant';

  it('does not take the place of one of another supplier that is to begin: an admin may do that', () => {
    expect(outcome(step(20, 'dusk', 'DUNL'))).toBe(ANOTHER);
    expect(outcome(step(20, 'dusk', 'DUNL'), true)).toBe('supersedes');
    expect(outcome(step(20, 'flat'))).toBe('supersedes');
  });

  it('follows the tariff of another supplier that is to end then: an end gives way', () => {
    const ending = [step(2, 'flat'), step(20, null)];
    const assigning = { byAdmin: false, now: june(10) };
    expect(assignmentOutcome(ending, step(20, 'dusk', 'DUNL'), noEnd, assigning)).toEqual({ kind: 'supersedes' });
  });

  it('begins before and after those of others that are to begin', () => {
    expect([15, 25].map((day) => outcome(step(day, 'dusk', 'DUNL')))).toEqual(['added', 'added']);
  });

  it('does not begin in the past where that of another supplier applied then or since: an admin may say so', () => {
    for (const day of [1, 2, 4, 6, 7, 8, 9]) {
      expect([day, outcome(step(day, 'dusk', 'DUNL'))]).toEqual([day, BEFORE_NOW]);
      expect([day, outcome(step(day, 'dusk'))]).not.toEqual([day, BEFORE_NOW]);
    }
    expect(outcome(step(9, 'dusk', 'DUNL'), true)).toBe('added');
    expect(outcome(step(10, 'dusk', 'DUNL'))).toBe('added');
    expect(outcome(step(7, 'dusk', 'DUNL'), false, noEnd, june(7))).toBe('added');
  });

  it('begins in the past where none of another supplier applied then or since', () => {
    const assigning = { byAdmin: false, now: june(10) };
    const ended = [step(2, 'flat'), step(6, null), step(20, 'night')];
    const toldAt = (day: number) => toldOf(assignmentOutcome(ended, step(day, 'dusk', 'DUNL'), noEnd, assigning));
    expect([toldAt(7), toldAt(5)]).toEqual(['added', BEFORE_NOW]);
    expect(toldOf(assignmentOutcome([], step(3, 'dusk', 'DUNL'), noEnd, assigning))).toBe('added');
  });

  it('is answered as it is when it is there, whatever began since', () => {
    const assigning = { byAdmin: false, now: june(10) };
    const lost = [step(2, 'flat'), step(8, 'dusk', 'DUNL')];
    expect(assignmentOutcome(lost, step(2, 'flat'), noEnd, assigning)).toEqual({ kind: 'unchanged' });
  });

  it('begins before the end of its validity, also by an admin', () => {
    const refused = 'VAL003 from: must be before the end of the validity of the tariff';
    const tariff = { validTo: june(15) };
    for (const byAdmin of [false, true])
      expect(
        [justBefore(june(15)), june(15), june(16)].map((validFrom) =>
          outcome({ validFrom, tariffId: 'dusk', mpid: 'LAPW' }, byAdmin, tariff),
        ),
      ).toEqual(['added', refused, refused]);
  });
});

describe('The end of a tariff for an MPxN', () => {
  const steps = [step(5, 'flat'), step(20, 'night', 'DUNL')];
  const end = (day: number, mpid: string | null, now = june(10)) => toldOf(endOutcome(steps, june(day), mpid, now));
  const OTHER = 'CNF001 at: is an instant at which no tariff of this supplier applies';

  it('is a step of the supplier whose tariff is assigned then', () => {
    expect([end(7, 'LAPW'), end(15, 'LAPW'), end(25, 'DUNL')]).toEqual(['added', 'added', 'added']);
    expect(endOutcome(steps, june(25), null, june(10))).toEqual({ kind: 'added', mpid: 'DUNL' });
    expect(endOutcome(steps, june(15), null, june(10))).toEqual({ kind: 'added', mpid: 'LAPW' });
  });

  it('is refused to any other, who is not told whether there is one', () => {
    expect([end(7, 'DUNL'), end(25, 'LAPW'), end(20, 'LAPW')]).toEqual([OTHER, OTHER, OTHER]);
    expect(end(1, 'LAPW')).toBe(OTHER);
    expect(end(1, null)).toBe('CNF001 at: is an instant at which no tariff applies');
  });

  it('withdraws a step that has not begun', () => {
    expect(end(20, 'DUNL')).toBe('supersedes');
    expect(end(5, 'LAPW')).toBe('CNF001 at: is when another tariff began to apply, which has happened already');
  });

  it('comes once', () => {
    const ended = [...steps, step(15, null)];
    expect(endOutcome(ended, june(15), 'LAPW', june(10))).toEqual({ kind: 'unchanged', mpid: 'LAPW' });
    expect(endOutcome(ended, june(17), 'LAPW', june(10))).toEqual({ kind: 'unchanged', mpid: 'LAPW' });
    expect(toldOf(endOutcome(ended, june(17), 'DUNL', june(10)))).toBe(OTHER);
  });
});

describe('What is told when a step takes effect', () => {
  const none = new Set<string>();
  const flat = { tariffId: 'flat', mpid: 'LAPW' };
  const night = { tariffId: 'night', mpid: 'LAPW' };
  const dusk = { tariffId: 'dusk', mpid: 'DUNL' };
  const ended = { tariffId: null, mpid: 'LAPW' };
  const change = { type: 'tariff.change', mpid: 'LAPW', tariffId: 'night' };
  const moved = [
    { type: 'supplier.change', mpid: 'LAPW', tariffId: null },
    { type: 'tariff.change', mpid: 'DUNL', tariffId: 'dusk' },
  ];

  it.each([
    ['the first tariff of all', undefined, night, none, [change]],
    ['an unrelated tariff of the same supplier', flat, night, none, [change]],
    ['a tariff after one that was ended', ended, night, none, [change]],
    ['the tariff that replaces the former', flat, night, new Set(['flat']), [{ ...change, type: 'tariff.update' }]],
    [
      'one that replaces it by way of others',
      flat,
      night,
      new Set(['x', 'flat']),
      [{ ...change, type: 'tariff.update' }],
    ],
    ['one that replaces another', flat, night, new Set(['x']), [change]],
    ['the same tariff', flat, flat, none, []],
    ['the tariff of another supplier, told at both', flat, dusk, none, moved],
    ['the tariff of another supplier after an end', ended, dusk, none, moved],
    ['an end', flat, ended, none, []],
  ])('to %s', (_, former, next, replaced, expected) => {
    expect(effectsOfStep(former, next, replaced)).toEqual(expected);
  });
});

function toldOf(outcome: StepOutcome): string {
  return outcome.kind === 'refused' ? told(outcome.violations).join() : outcome.kind;
}
