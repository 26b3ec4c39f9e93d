import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type SelectionSetNode, parse, print, validate } from 'graphql';
import { OBJECT_CHANGE_KINDS } from '../../../console/grid/register-answers';
import { LIVE_EVENTS } from '../../../console/live/event-feed';
import { EVENT_TYPES } from '../../../console/live/event-types';
import * as wording from '../../../console/tariffs/wording';
import { apiSchemaOf } from '../../../gateway/supergraph';
import { generatedSchema } from '../../../schema/generated-schema';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';

const schema = apiSchemaOf(generatedSchema().supergraphSdl);
const folder = join(REPOSITORY_ROOT, 'console', 'operations');

describe('what the live page asks for', () => {
  it('is known to the graph, by the same names and types', () => {
    expect(validate(schema, parse(LIVE_EVENTS))).toEqual([]);
    const type = schema.getType('RegisterEventType') as { getValues?: () => { name: string }[] } | undefined;
    const names = type?.getValues?.().map(({ name }) => name) ?? [];
    expect(EVENT_TYPES.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it('is the same of an event that comes as of one that was there', () => {
    const operation = readFileSync(join(REPOSITORY_ROOT, 'console', 'operations', 'readLiveEvents.graphql'), 'utf8');
    expect(selectionOf(LIVE_EVENTS)).toBe(selectionOf(operation));
  });

  /** What an operation selects of its one field. */
  function selectionOf(text: string): string {
    const [operation] = parse(text).definitions as unknown as [{ selectionSet: SelectionSetNode }];
    const [field] = operation.selectionSet.selections as unknown as [{ selectionSet: SelectionSetNode }];
    return print(field.selectionSet);
  }
});

describe('what the grid pages ask for', () => {
  it.each(readdirSync(folder).filter((name) => name.startsWith('readGrid')))('is known to the graph: %s', (name) => {
    expect(validate(schema, parse(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
  });

  it('has kinds of change by the names of the graph', () => {
    const type = schema.getType('ObjectChangeKind') as { getValues?: () => { name: string }[] } | undefined;
    expect(
      type
        ?.getValues?.()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...OBJECT_CHANGE_KINDS].toSorted());
  });
});

describe('what the tariff pages ask for', () => {
  it.each(readdirSync(folder).filter((name) => name.startsWith('readTariff')))('is known to the graph: %s', (name) => {
    expect(validate(schema, parse(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
  });

  it.each([
    ['TariffType', wording.TARIFF_TYPES],
    ['FuelType', wording.FUEL_TYPES],
    ['EnergyFlow', wording.ENERGY_FLOWS],
    ['PaymentMethod', wording.PAYMENT_METHODS],
    ['MeterType', wording.METER_TYPES],
    ['CustomerType', wording.CUSTOMER_TYPES],
    ['LdzRegion', wording.LDZ_REGIONS],
  ])('has words for every value of %s', (name, words) => {
    const type = schema.getType(name) as { getValues?: () => { name: string }[] } | undefined;
    const values = type?.getValues?.().map((value) => value.name);
    expect(values?.toSorted()).toEqual(Object.keys(words).toSorted());
  });
});
