import { registerEnumType } from 'type-graphql';
import type { TariffDeliveryState } from '../database/event-deliveries';
import type { ConsentEnd } from '../domain/consent-end';
import type { TariffEventType } from '../domain/effects';
import { told } from './told-values';

/** GraphQL names of {@link TariffEventType}. */
export const TariffEventTypeEnum = {
  TARIFF_CHANGE: 'tariff.change',
  TARIFF_UPDATE: 'tariff.update',
  SUPPLIER_CHANGE: 'supplier.change',
  CONSENT_REVOKED: 'consent.revoked',
  SUPPLIER_CESSATION: 'supplier.cessation',
} as const satisfies Record<string, TariffEventType>;
registerEnumType(TariffEventTypeEnum, {
  name: 'TariffEventType',
  description: 'What happened to the tariff of an MPxN, to its supplier, or to a consent.',
  valuesConfig: told({
    TARIFF_CHANGE: 'The MPxN moved to an unrelated tariff, or to the supplier whose tariff it is.',
    TARIFF_UPDATE: "A tariff that replaces the MPxN's one took effect.",
    SUPPLIER_CHANGE: 'Another supplier supplies the MPxN; it is told of the one that lost it.',
    CONSENT_REVOKED: 'Nothing more is shared about the MPxN.',
    SUPPLIER_CESSATION: 'The supplier left the register. Of no MPxN.',
  }),
});

/** GraphQL names of {@link TariffDeliveryState}. */
export const TariffDeliveryStateEnum = {
  PENDING: 'pending',
  DELIVERED: 'delivered',
  UNDELIVERED: 'undelivered',
  SUPERSEDED: 'superseded',
} as const satisfies Record<string, TariffDeliveryState>;
registerEnumType(TariffDeliveryStateEnum, {
  name: 'TariffDeliveryState',
  description: 'What became of a delivery to the webhook of an RTI User; SUPERSEDED is one that was wanted no more.',
  valuesConfig: told({
    PENDING: 'It is still attempted, or held while the RTI User is suspended or disabled.',
    DELIVERED: 'The webhook took it.',
    UNDELIVERED: 'Every attempt failed; it is attempted no more.',
    SUPERSEDED: 'It was wanted no more before it was delivered.',
  }),
});

/** GraphQL names of {@link ConsentEnd}. */
export const ConsentEndEnum = {
  CONSUMER: 'consumer',
  ADMIN: 'admin',
  RTI_USER_REMOVED: 'rti_user_removed',
  SUPPLIER_REMOVED: 'supplier_removed',
} as const satisfies Record<string, ConsentEnd>;
registerEnumType(ConsentEndEnum, {
  name: 'TariffConsentEnd',
  description: 'Who or what ended a consent.',
  valuesConfig: told({
    CONSUMER: 'The consumer, by way of the RTI User.',
    ADMIN: 'An admin.',
    RTI_USER_REMOVED: 'The RTI User was removed from the register.',
    SUPPLIER_REMOVED: 'The supplier was removed from the register.',
  }),
});
