import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { DESKTOP, PHONE, accessibilityFaults, sidewaysScroll } from './browser';

/** Where pictures of pages are left for whoever asks for them. */
const PICTURES = join(REPOSITORY_ROOT, 'tmp', 'pictures');

/** Pictures take longer than everything else: TEST_PICTURES=1 leaves them, as the long form does. */
export const LEAVES_PICTURES = ['TEST_PICTURES', 'TEST_LONG'].some((name) => process.env[name] !== undefined);

/** Whether every combination is asked for. */
export const IS_LONG = process.env['TEST_LONG'] !== undefined;
const SCREENS = { phone: PHONE.viewport, desktop: DESKTOP.viewport };

/**
 * How a page is looked at: each screen in each scheme of colours in the long form. Otherwise a page is looked at in one of the two looks
 * that have all of them between them, by its name: axe takes seconds for a page with a picture.
 */
function looksOf(name: string): readonly (readonly [screen: keyof typeof SCREENS, scheme: 'light' | 'dark'])[] {
  if (IS_LONG)
    return (['light', 'dark'] as const).flatMap(
      (scheme) =>
        [
          ['phone', scheme],
          ['desktop', scheme],
        ] as const,
    );
  return [name.length % 2 === 0 ? ['phone', 'dark'] : ['desktop', 'light']];
}

/** What {@link faultsOf} answers of a page that has none. */
export const NO_FAULT: readonly string[] = [];

/** What is wrong with a page, on each screen and in each scheme of its looks; a picture of each is left for whoever asks for it. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  mkdirSync(PICTURES, { recursive: true });
  const faults: string[] = [];
  for (const [screen, scheme] of looksOf(name)) {
    const viewport = SCREENS[screen];
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    if (viewport) await page.setViewportSize(viewport);
    const picture = `${name} ${screen} ${scheme}.png`.replaceAll(' ', '-');
    if (LEAVES_PICTURES) await page.screenshot({ path: join(PICTURES, picture), fullPage: true });
    faults.push(...(await accessibilityFaults(page)).map((fault) => `${screen} ${scheme}: ${fault}`));
  }
  await page.setViewportSize({ width: 320, height: 256 }); // 1280 × 1024 at 400 %
  const sideways = await sidewaysScroll(page);
  return sideways === 0 ? faults : [...faults, `${sideways} pixels to scroll sideways at 400 %`];
}
