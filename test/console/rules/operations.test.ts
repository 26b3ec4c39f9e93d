import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type SelectionSetNode, parse, print, validate } from 'graphql';
import { OBJECT_CHANGE_KINDS } from '../../../web/console/grid/operation-results';
import { LIVE_EVENTS } from '../../../web/console/live/event-feed';
import { EVENT_TYPES } from '../../../web/console/live/event-types';
import * as labelsOfTariffs from '../../../web/console/tariffs/labels';
import { costCheck } from '../../../gateway/requests/operation-cost';
import { apiSchemaOf } from '../../../gateway/supergraph';
import { generatedSchema } from '../../../schema/generated-schema';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';

const schema = apiSchemaOf(generatedSchema().supergraphSdl);

describe('the operations of the live page', () => {
  it('are valid and have the event types of the schema', () => {
    expect(validate(schema, parse(LIVE_EVENTS))).toEqual([]);
    const type = schema.getType('RegisterEventType') as { getValues?: () => { name: string }[] } | undefined;
    const names = type?.getValues?.().map(({ name }) => name) ?? [];
    expect(EVENT_TYPES.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it('select the same fields of a new event as of an earlier one', () => {
    const operation = readFileSync(
      join(REPOSITORY_ROOT, 'web', 'console', 'operations', 'readLiveEvents.graphql'),
      'utf8',
    );
    expect(selectionOf(LIVE_EVENTS)).toBe(selectionOf(operation));
  });

  /** Returns the selection set of an operation's only field. */
  function selectionOf(text: string): string {
    const [operation] = parse(text).definitions as unknown as [{ selectionSet: SelectionSetNode }];
    const [field] = operation.selectionSet.selections as unknown as [{ selectionSet: SelectionSetNode }];
    return print(field.selectionSet);
  }
});

describe('the operations of the grid pages', () => {
  it('have the kinds of change of the schema', () => {
    const type = schema.getType('ObjectChangeKind') as { getValues?: () => { name: string }[] } | undefined;
    expect(
      type
        ?.getValues?.()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...OBJECT_CHANGE_KINDS].toSorted());
  });

  it('cost at most what an operation of a client may', () => {
    const check = costCheck(schema);
    const project = { area: 'EPN', publicationYear: 2026, period: '01', projectId: 'P1' };
    const variables = { ...project, version: 1, from: 1, to: 2, first: 50, references: 50, mRID: 'a', mRIDs: ['a'] };
    const folder = join(REPOSITORY_ROOT, 'web', 'console', 'operations');
    const names = readdirSync(folder).filter((name) => name.startsWith('readGrid'));
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) {
      const text = readFileSync(join(folder, name), 'utf8').replaceAll('...ObjectNameFields', 'mRID type name');
      expect(() =>
        check({ document: parse(text), queryHash: text, operationName: undefined }, variables),
      ).not.toThrow();
    }
  });
});

describe('the operations of the tariff pages', () => {
  it.each([
    ['TariffType', labelsOfTariffs.TARIFF_TYPES],
    ['FuelType', labelsOfTariffs.FUEL_TYPES],
    ['EnergyFlow', labelsOfTariffs.ENERGY_FLOWS],
    ['PaymentMethod', labelsOfTariffs.PAYMENT_METHODS],
    ['MeterType', labelsOfTariffs.METER_TYPES],
    ['CustomerType', labelsOfTariffs.CUSTOMER_TYPES],
    ['LdzRegion', labelsOfTariffs.LDZ_REGIONS],
  ])('have a label for every value of %s', (name, labels) => {
    const type = schema.getType(name) as { getValues?: () => { name: string }[] } | undefined;
    const values = type?.getValues?.().map((value) => value.name);
    expect(values?.toSorted()).toEqual(Object.keys(labels).toSorted());
  });
});
