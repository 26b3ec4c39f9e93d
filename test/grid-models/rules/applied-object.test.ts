import { INSTEAD_LIMIT, appliedObject } from '../../../subgraphs/grid-models/base-models/applied-object';
import type { DifferenceItem, Statement } from '../../../subgraphs/grid-models/rdf/difference-model';

const statement = (name: string, value: string): Statement => ({ name, kind: 'text', value });
const item = (...statements: Statement[]): DifferenceItem => ({
  ...{ mRID: 'a', type: 'rdf:Description', isObject: false, statements },
});

describe('A statement that a project deletes, and that the base model lacks', () => {
  it('has the values of the same name that the project leaves', () => {
    const base = [item(statement('cim:X.a', '1'), statement('cim:X.a', '2'), statement('cim:X.b', '3'))];
    const deleted = [statement('cim:X.a', '1'), statement('cim:X.a', '4'), statement('cim:X.c', '5')];
    const applied = appliedObject('EQ', base, {
      reverse: [item(...deleted)],
      forward: [item(statement('cim:X.a', '6'))],
    });
    expect(applied.missing).toEqual([
      { statement: statement('cim:X.a', '4'), instead: ['2'] },
      { statement: statement('cim:X.c', '5'), instead: [] },
    ]);
  });

  it('has the first of them only, so that many statements times many values stay small', () => {
    const base = [item(...Array.from({ length: INSTEAD_LIMIT + 1 }, (_, index) => statement('cim:X.a', `${index}`)))];
    const reverse = [item(statement('cim:X.a', 'other'))];
    expect(appliedObject('EQ', base, { reverse, forward: [] }).missing[0]?.instead).toEqual(
      Array.from({ length: INSTEAD_LIMIT }, (_, index) => `${index}`),
    );
  });
});
