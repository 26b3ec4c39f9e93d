import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { DESKTOP, PHONE, accessibilityFaults, sidewaysScroll } from './browser';

/** Where pictures of pages are left for whoever asks for them. */
const PICTURES = join(REPOSITORY_ROOT, 'tmp', 'pictures');

/** Pictures take longer than everything else: TEST_PICTURES=1 leaves them, as the long form does. */
export const LEAVES_PICTURES = ['TEST_PICTURES', 'TEST_LONG'].some((name) => process.env[name] !== undefined);

/** What {@link faultsOf} answers of a page that has none. */
export const NO_FAULT: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(looks().map(({ name }) => [name, []])),
  'sideways at 400 %': 0,
};

/** Each screen and each scheme of colours; all of their combinations in the long form. */
function looks() {
  const schemes = ['light', 'dark'] as const;
  const all = schemes.flatMap((scheme) => [
    { name: `phone ${scheme}`, viewport: PHONE.viewport, scheme },
    { name: `desktop ${scheme}`, viewport: DESKTOP.viewport, scheme },
  ]);
  const usual = ['phone dark', 'desktop light'];
  return process.env['TEST_LONG'] === undefined ? all.filter(({ name }) => usual.includes(name)) : all;
}

/** What is wrong with a page, on each screen, by day and by night; a picture of each is left for whoever asks for it. */
export async function faultsOf(page: Page, name: string): Promise<Record<string, unknown>> {
  mkdirSync(PICTURES, { recursive: true });
  const faults: Record<string, unknown> = {};
  for (const { name: look, viewport, scheme } of looks()) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    if (viewport) await page.setViewportSize(viewport);
    const picture = `${name} ${look}.png`.replaceAll(' ', '-');
    if (LEAVES_PICTURES) await page.screenshot({ path: join(PICTURES, picture), fullPage: true });
    faults[look] = await accessibilityFaults(page);
  }
  await page.setViewportSize({ width: 320, height: 256 }); // 1280 × 1024 at 400 %
  faults['sideways at 400 %'] = await sidewaysScroll(page);
  return faults;
}
