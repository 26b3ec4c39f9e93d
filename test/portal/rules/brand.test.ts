import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutBrand } from '../../../web/portal/request/assets';
import { packageFolder } from '../../../web/shared/package-folder';

it('the components have no typeface or crest that only gov.uk may use', () => {
  const original = readFileSync(join(packageFolder('govuk-frontend'), 'dist/govuk/govuk-frontend.min.css'), 'utf8');
  expect(original).toMatch(/GDS Transport/);
  const stylesheet = withoutBrand(original);
  expect(stylesheet).not.toMatch(/GDS Transport|@font-face|Margaret Calvert|crest|url\(/);
  expect(stylesheet).toContain('font-family:arial,sans-serif');
  expect(stylesheet.length).toBeGreaterThan(original.length * 0.9);
  expect(stylesheet.match(/\{/g)?.length).toBe(stylesheet.match(/\}/g)?.length);
});
