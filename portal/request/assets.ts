import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { type Asset, packageFile } from '../../web/assets';

/** The styles and scripts of the pages: components of the GOV.UK Design System without its brand, passkeys, our own. */
export function portalAssets(): readonly Asset[] {
  const componentStyles = packageFile('govuk-frontend', 'dist/govuk/govuk-frontend.min.css');
  return [
    { name: 'components.css', content: withoutBrand(componentStyles) },
    { name: 'portal.css', content: ownFile('portal.css') },
    { name: 'components.js', content: packageFile('govuk-frontend', 'dist/govuk/govuk-frontend.min.js') },
    { name: 'page.js', content: ownFile('page.js') },
    { name: 'webauthn.js', content: packageFile('@simplewebauthn/browser', 'dist/bundle/index.umd.min.js') },
    { name: 'passkey.js', content: ownFile('passkey.js') },
    { name: 'icon.svg', content: ownFile('icon.svg') },
  ];
}

/** The typeface and the crest are for gov.uk alone: the pages use Arial and no crest. */
export function withoutBrand(stylesheet: string): string {
  return stylesheet
    .replace(/\/\*! Copyright \(c\) 2011[^*]*\*\//g, '')
    .replace(/@font-face\{[^}]*\}/g, '')
    .replace(/GDS Transport, ?/g, '')
    .replace(/url\([^)]*crest[^)]*\)/g, 'none');
}

function ownFile(name: string): string {
  return readFileSync(join(REPOSITORY_ROOT, 'portal', 'assets', name), 'utf8');
}
