import { type OperationDefinitionNode, getOperationAST, parse, print, validate } from 'graphql';
import { apiSchemaOf } from '../../../gateway/supergraph';
import { eventQueryOf, rejectConditionalEvents } from '../../../gateway/subscriptions/event-query';
import { generatedSchema } from '../../../schema/generated-schema';

const schema = apiSchemaOf(generatedSchema().supergraphSdl);

function queryFor(text: string, operationName?: string) {
  const document = parse(text, { noLocation: true });
  expect(validate(schema, document)).toEqual([]);
  return eventQueryOf(document, getOperationAST(document, operationName) as OperationDefinitionNode);
}

/** Returns the text of the query for one event, after validating it. */
function rewritten(text: string, operationName?: string): string {
  const { document } = queryFor(text, operationName);
  expect(validate(schema, document)).toEqual([]);
  return print(document).replaceAll(/\s+/g, ' ');
}

describe('The query for one event of a subscription', () => {
  it('has the same selection under the same response name', () => {
    expect(rewritten('subscription { registerEvents { id type } }')).toBe(
      'query ($eventId: EventId!) { registerEvents: registerEvent(id: $eventId) { id type } }',
    );
    expect(rewritten('subscription Follow { news: registerEvents(after: "a") { id } }')).toBe(
      'query Follow($eventId: EventId!) { news: registerEvent(id: $eventId) { id } }',
    );
  });

  it('may select fields of several subgraphs', () => {
    expect(rewritten('subscription { registerEvents { accessRecord { ak identityRecord { createdAt } } } }')).toContain(
      'identityRecord { createdAt }',
    );
  });

  it('keeps the variables that the selection uses, and drops those of the arguments', () => {
    const text = `subscription ($after: String, $types: [RegisterEventType!], $isLong: Boolean!) {
      registerEvents(after: $after, types: $types) { id accessRecord @include(if: $isLong) { purpose } } }`;
    expect(rewritten(text)).toBe(
      'query ($isLong: Boolean!, $eventId: EventId!) { registerEvents: registerEvent(id: $eventId) { id accessRecord @include(if: $isLong) { purpose } } }',
    );
    expect(queryFor(text).variables).toEqual(['isLong']);
  });

  it('keeps a variable that only a fragment of a fragment uses', () => {
    const text = `subscription ($after: String, $isLong: Boolean!) { registerEvents(after: $after) { ...Event } }
      fragment Event on RegisterEvent { id accessRecord { ...Record } }
      fragment Record on AccessRecord { purpose @include(if: $isLong) }`;
    expect(rewritten(text)).toContain('query ($isLong: Boolean!, $eventId: EventId!)');
  });

  it("adds a variable for the id that differs from all of the client's", () => {
    const text = 'subscription ($eventId: Boolean!) { registerEvents { id type @include(if: $eventId) } }';
    expect(rewritten(text)).toBe(
      'query ($eventId: Boolean!, $_eventId: EventId!) { registerEvents: registerEvent(id: $_eventId) { id type @include(if: $eventId) } }',
    );
  });

  it('resolves fragments on Subscription, nested and repeated, and merges what they select', () => {
    const text = `subscription { ...Outer ... on Subscription { registerEvents { type } } ... { registerEvents { cursor } } }
      fragment Outer on Subscription { ...Inner }
      fragment Inner on Subscription { registerEvents { id dataUser { ...Name } } }
      fragment Name on DataUser { displayName }`;
    expect(rewritten(text)).toBe(
      'query ($eventId: EventId!) { registerEvents: registerEvent(id: $eventId) { id dataUser { ...Name } type cursor } } fragment Name on DataUser { displayName }',
    );
  });

  it('leaves out the other operations of the document, and what only they use', () => {
    const text = `subscription One { registerEvents { id } }
      query Other { viewer { ...Viewer } }
      fragment Viewer on Viewer { __typename }`;
    expect(rewritten(text, 'One')).toBe(
      'query One($eventId: EventId!) { registerEvents: registerEvent(id: $eventId) { id } }',
    );
  });

  it.each([
    'subscription ($is: Boolean = true) { registerEvents @include(if: $is) { id } }',
    'query Other { __typename } subscription ($is: Boolean!) { registerEvents @include(if: $is) { id } }',
    'subscription ($is: Boolean!) { ... @skip(if: $is) { registerEvents { id } } }',
    'subscription ($is: Boolean!) { ...Root @skip(if: $is) } fragment Root on Subscription { registerEvents { id } }',
  ])('is rejected when the event itself depends on a condition: %s', (text) => {
    expect(() => rejectConditionalEvents(parse(text))).toThrow(expect.objectContaining({ code: 'VAL003' }));
  });

  it('is looked for also in fragments that form a cycle', () => {
    const text = 'subscription { ...A } fragment A on Subscription { ...B } fragment B on Subscription { ...A }';
    expect(() => rejectConditionalEvents(parse(text))).not.toThrow();
  });
});
