import { preferenceViolations, wantsCheck } from '../../../rest-adapter/requests/preferences';

/** Returns what a write with this `Prefer` does. */
function outcomeOf(prefer: string): 'checked' | 'executed' | 'rejected' {
  if (preferenceViolations({ prefer }, 'checkable').length > 0) return 'rejected';
  return wantsCheck({ prefer }) ? 'checked' : 'executed';
}

describe('A write with Prefer (RFC 7240 section 2)', () => {
  it.each([
    'handling=check',
    'Handling = CHECK',
    '\thandling\t=\t"check" ; x=1, wait=10',
    'handling="ch\\eck"',
    'handling=check;foo="a, handling=strict"',
    'foo="a, handling=strict", handling=check',
    'foo="a\\", handling=strict", handling=check',
    'foo; handling=strict, handling=check',
    'handling=check, handling=strict',
    ',, foo=, =bar, handling=check',
    'handling=check, foo="a',
  ])('has its effect checked only, for the header value %j', (prefer) => expect(outcomeOf(prefer)).toBe('checked'));

  it.each([
    '',
    ' , ;=',
    'foo="a, handling=check"',
    'foo="a\\", handling=check"',
    'foo="a\\\\", bar=", handling=check"',
    'foo; handling=check',
    'foo; bar="; x, handling=check"',
    'foo=handling=check',
    'handling=strict, handling=check',
    'handling=lenient; handling=check',
    'return=minimal',
  ])('is executed, for the header value %j', (prefer) => expect(outcomeOf(prefer)).toBe('executed'));

  it.each([
    'handling',
    'handling=',
    'handling=""',
    'handling="check',
    'handling="check"x',
    'handling="check, foo"',
    'handling="" check',
    'handling=check check',
    'handling=chekc, handling=check',
    'handling=che"ck"',
    'foo="a, handling=check',
    'foo="a, handling=check\\"',
  ])('is rejected, neither checked nor executed, for the header value %j', (prefer) =>
    expect(outcomeOf(prefer)).toBe('rejected'),
  );
});
