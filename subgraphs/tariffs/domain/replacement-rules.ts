import type { Violation } from '../../../schema/register-error';
import type { Tariff } from './tariff';

/** What is known of the tariff that a new one names in `replaces`. */
export interface ReplacedTariff extends Pick<Tariff, 'mpid' | 'fuelType' | 'energyFlow'> {
  /** The tariff that replaces it already; null when none does. */
  readonly replacedBy: string | null;
}

/**
 * Why a new tariff cannot replace one (path `replaces`): NTF003 unknown or of another supplier, VAL003 of another fuel or flow, CNF001
 * replaced already. No circle can come about: what is replaced was there before, and `replaces` never changes.
 *
 * @param replaced undefined when there is no such tariff
 */
export function replacementViolations(
  tariff: Pick<Tariff, 'tariffId' | 'mpid' | 'fuelType' | 'energyFlow'>,
  replaced: ReplacedTariff | undefined,
): Violation[] {
  const at = (field: Violation['code'], message: string): Violation[] => [{ code: field, path: ['replaces'], message }];
  if (replaced === undefined || replaced.mpid !== tariff.mpid)
    return at('NTF003', 'is not the id of a tariff of this supplier');
  if (replaced.fuelType !== tariff.fuelType) return at('VAL003', 'is a tariff for another fuel');
  if (replaced.energyFlow !== tariff.energyFlow) return at('VAL003', 'is a tariff for another flow of energy');
  if (replaced.replacedBy === null || replaced.replacedBy === tariff.tariffId) return [];
  return at('CNF001', 'is replaced by another tariff already');
}
