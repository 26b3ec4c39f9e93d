import type { PublicationRule } from './publication-rules';
import { invalid } from './rate-places';

/** `vat_rate` (1-specification.md, Interface D): an integer 0 to 100, required when `vat_included` is false. */
export const vatOfTariff: PublicationRule = ({ vatIncluded, vatRate }) => {
  const path = ['vatRate'];
  if (vatRate != null)
    return Number.isInteger(vatRate) && vatRate >= 0 && vatRate <= 100
      ? []
      : [invalid(path, 'must be an integer 0 to 100')];
  return vatIncluded ? [] : [{ code: 'VAL002', path, message: 'is required when prices do not include VAT' }];
};
