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
  ...{ 'phone light': [], 'desktop light': [], 'phone dark': [], 'desktop dark': [] },
  'sideways at 400 %': 0,
};

/** What is wrong with a page, on each screen, by day and by night; a picture of each is left for whoever asks for it. */
export async function faultsOf(page: Page, name: string): Promise<Record<string, unknown>> {
  mkdirSync(PICTURES, { recursive: true });
  const faults: Record<string, unknown> = {};
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [screen, { viewport }] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
      if (viewport) await page.setViewportSize(viewport);
      const picture = `${name} ${screen} ${colorScheme}.png`.replaceAll(' ', '-');
      if (LEAVES_PICTURES) await page.screenshot({ path: join(PICTURES, picture), fullPage: true });
      faults[`${screen} ${colorScheme}`] = await accessibilityFaults(page);
    }
  }
  await page.setViewportSize({ width: 320, height: 256 }); // 1280 × 1024 at 400 %
  faults['sideways at 400 %'] = await sidewaysScroll(page);
  return faults;
}
