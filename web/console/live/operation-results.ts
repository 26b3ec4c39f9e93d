import type { Operations } from '../../../schema/generated/operations';

type ResultOf<Name extends keyof Operations> = Operations[Name]['result'];
/** A gateway of a newer release may send event types that this console does not contain. */
type OfAnyType<Value> = Omit<Value, 'type'> & { readonly type: string };

/** An event, as the live page selects it. */
export type LiveEvent = OfAnyType<ResultOf<'ReadLiveEvents'>['events'][number]>;

/** Number of events of one type in one minute. */
export type EventCount = OfAnyType<ResultOf<'ReadLiveFigures'>['counts'][number]>;

/** A delivery that failed. */
export type FailedDelivery = ResultOf<'ReadFailedDeliveries'>['deliveries']['nodes'][number];

/** State of all webhook deliveries. */
export type DeliveryHealth = ResultOf<'ReadLiveFigures'>['health'];
