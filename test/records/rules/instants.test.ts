import { isDate, parseDateTime } from '../../../schema/date-time';

describe('An instant as a request has it', () => {
  it.each([
    ['2026-11-20T09:30:00Z', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20t09:30:00.5z', '2026-11-20T09:30:00.500Z'],
    ['2026-11-20 09:30:00.123456789012+01:00', '2026-11-20T08:30:00.123Z'],
    ['2026-06-30T23:59:60Z', '2026-07-01T00:00:00.000Z'],
    ['2026-06-30T23:59:60.25Z', '2026-07-01T00:00:00.250Z'],
    ['1990-12-31T15:59:60-08:00', '1991-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0099-12-31T23:59:59.999Z', '0099-12-31T23:59:59.999Z'],
    ['9998-12-31T23:59:59-23:59', '9999-01-01T23:58:59.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['9999-12-31T23:59:59.9999+00:01', '9999-12-31T23:58:59.999Z'],
    ['2024-02-29T00:00:00-00:00', '2024-02-29T00:00:00.000Z'],
  ])('is accepted as %s, which is %s in UTC', (text, instant) =>
    expect(parseDateTime(text)?.toISOString()).toBe(instant),
  );

  it.each([
    ['0000-12-31T23:59:59Z', 'the year 0'],
    ['0001-01-01T00:00:00+00:01', 'the year 0 in UTC'],
    ['9999-12-31T23:59:60Z', 'the year 10000 in UTC'],
    ['9999-12-31T23:59:59-00:01', 'the year 10000 in UTC'],
    ['10000-01-01T00:00:00Z', 'five digits'],
    ['2026-02-29T00:00:00Z', 'no such day'],
    ['2026-13-01T00:00:00Z', 'no such month'],
    ['2026-00-01T00:00:00Z', 'no such month'],
    ['2026-01-01T24:00:00Z', 'no such hour'],
    ['2026-01-01T23:59:61Z', 'no such second'],
    ['2026-01-01T23:59:59.Z', 'no fraction'],
    ['2026-01-01T23:59:59', 'no offset'],
    ['2026-01-01T23:59:59+24:00', 'no such offset'],
    ['2026-01-01T23:59:59Z\n', 'a line break'],
  ])('is rejected as %j, because it has %s', (text) => expect(parseDateTime(text)).toBeUndefined());

  it.each([
    ['may', '0001-01-01', true],
    ['may', '0004-02-29', true],
    ['may', '9999-12-31', true],
    ['may not', '0000-12-31', false],
    ['may not', '1900-02-29', false],
    ['may not', '2026-06-31', false],
    ['may not', '2026-1-1', false],
  ])('%s have the date %s', (_, text, is) => expect(isDate(text)).toBe(is));
});
