import { type Asset, ownAssets, packageFile } from '../../shared/assets';

/**
 * Style sheets and scripts of the pages: components of the GOV.UK Design System without its brand, passkeys, own files.
 */
export function portalAssets(): readonly Asset[] {
  const componentStyles = packageFile('govuk-frontend', 'dist/govuk/govuk-frontend.min.css');
  return [
    { name: 'components.css', content: withoutBrand(componentStyles) },
    { name: 'components.js', content: packageFile('govuk-frontend', 'dist/govuk/govuk-frontend.min.js') },
    { name: 'webauthn.js', content: packageFile('@simplewebauthn/browser', 'dist/bundle/index.umd.min.js') },
    ...ownAssets('portal', 'portal.css', 'page.js', 'passkey.js', 'icon.svg'),
  ];
}

/** Removes the typeface and the crest, which only gov.uk may use: the pages use Arial and no crest. */
export function withoutBrand(stylesheet: string): string {
  return stylesheet
    .replace(/\/\*! Copyright \(c\) 2011[^*]*\*\//g, '')
    .replace(/@font-face\{[^}]*\}/g, '')
    .replace(/GDS Transport, ?/g, '')
    .replace(/url\([^)]*crest[^)]*\)/g, 'none');
}
