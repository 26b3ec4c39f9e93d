import type { Violation } from '../../../schema/register-error';
import type { Tariff, TariffInput } from './tariff';

/** The fields that decide whether a new tariff may name this one in `replaces`. */
export interface ReplacedTariff extends Pick<Tariff, 'mpid' | 'fuelType' | 'energyFlow'> {
  /** Id of the tariff that already replaces it; null if there is none. */
  readonly replacedBy: string | null;
}

/** The fields of a tariff that replaces another one. */
export type ReplacingTariff = Pick<Tariff, 'tariffId' | 'mpid' | 'fuelType' | 'energyFlow'> &
  Pick<TariffInput, 'replaces'>;

/**
 * Returns why a new tariff may not replace another one (path `replaces`): NTF003 unknown or of another supplier, VAL003 another fuel or flow,
 * CNF001 already replaced. Replacements form no cycle: a replaced tariff exists before its replacement, and `replaces` never changes.
 *
 * @param replaced undefined if the tariff does not exist
 */
export function replacementViolations(
  tariff: Omit<ReplacingTariff, 'replaces'>,
  replaced: ReplacedTariff | undefined,
): Violation[] {
  const violation = (code: Violation['code'], message: string): Violation[] => [{ code, path: ['replaces'], message }];
  if (replaced === undefined || replaced.mpid !== tariff.mpid)
    return violation('NTF003', 'is not the id of a tariff of this supplier');
  if (replaced.fuelType !== tariff.fuelType) return violation('VAL003', 'is a tariff for another fuel');
  if (replaced.energyFlow !== tariff.energyFlow) return violation('VAL003', 'is a tariff for another flow of energy');
  if (replaced.replacedBy === null || replaced.replacedBy === tariff.tariffId) return [];
  return violation('CNF001', 'is replaced by another tariff already');
}
