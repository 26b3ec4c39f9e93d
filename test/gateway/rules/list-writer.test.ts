import { listWriter } from '../../../subgraphs/server/graph/list-writer';

describe('The text of a list', () => {
  it('has the instants that JSON.stringify writes, whatever instant was before', () => {
    const write = listWriter([{ key: 'at', name: 'at' }]);
    const instants = [
      '2027-06-30T23:30:00.000Z',
      '2027-07-01T00:00:00.000Z',
      '2027-07-01T00:00:30.000Z',
      '2027-07-01T10:20:30.405Z',
      '2027-06-30T23:59:59.999Z',
      '1970-01-01T00:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
      '1969-12-31T00:00:00.000Z',
      '9999-12-31T23:59:00.000Z',
      '+010000-01-01T00:00:00.000Z',
      '-000001-01-01T00:01:00.000Z',
    ].map((instant) => new Date(instant));
    const values = [...instants, ...instants.toReversed()].flatMap((at) => [{ at }, { at }, { at: new Date(at) }]);
    expect(values.map((value) => write(value))).toEqual(values.map((value) => JSON.stringify(value)));
  });
});
