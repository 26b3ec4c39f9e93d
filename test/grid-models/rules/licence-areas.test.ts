import { LICENCE_AREAS, licenceAreaOf } from '../../../subgraphs/grid-models/projects/licence-areas';

describe('The licence areas', () => {
  it('are the fourteen of Great Britain, by distributor id', () => {
    const table = LICENCE_AREAS.map(({ code, distributorId, gspGroup }) => `${code} ${distributorId} ${gspGroup}`);
    expect(table).toEqual([
      'EPN 10 A',
      'EMID 11 B',
      'LPN 12 C',
      'SPM 13 D',
      'WMID 14 E',
      'NPGN 15 F',
      'ENWL 16 G',
      'SHEPD 17 P',
      'SPD 18 N',
      'SPN 19 J',
      'SEPD 20 H',
      'SWALES 21 K',
      'SWEST 22 L',
      'NPGY 23 M',
    ]);
  });

  it('belong to the company with the licence', () => {
    const codesOf = (company: string) => LICENCE_AREAS.filter(({ group }) => group === company).map(({ code }) => code);
    expect(codesOf('UK Power Networks')).toEqual(['EPN', 'LPN', 'SPN']);
    expect(codesOf('National Grid Electricity Distribution')).toEqual(['EMID', 'WMID', 'SWALES', 'SWEST']);
    expect(codesOf('SP Energy Networks')).toEqual(['SPM', 'SPD']);
    expect(codesOf('Scottish and Southern Electricity Networks')).toEqual(['SHEPD', 'SEPD']);
    expect(codesOf('Northern Powergrid')).toEqual(['NPGN', 'NPGY']);
    expect(codesOf('Electricity North West')).toEqual(['ENWL']);
  });

  it.each([
    ['EPN', 'EPN'],
    ['epn', 'EPN'],
    ['Emids', 'EMID'],
    ['wmids', 'WMID'],
    ['ne', 'NPGN'],
    ['Y', 'NPGY'],
  ])('are found by the label %s: %s', (label, code) => {
    expect(licenceAreaOf(label)?.code).toBe(code);
  });

  it.each(['', 'XPN', 'EPN ', 'constructor', '__proto__'])('are not found by %j', (label) => {
    expect(licenceAreaOf(label)).toBeUndefined();
  });
});
