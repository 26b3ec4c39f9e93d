import type { Violation } from '../../../schema/register-error';
import type { TariffInput } from './tariff';

/** A rule for tariffs that are published: returns its violations, each with the path of the offending field. */
export type PublicationRule = (tariff: TariffInput) => Violation[];
