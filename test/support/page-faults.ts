import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { DESKTOP, PHONE, accessibilityFaults, sidewaysScroll } from './browser';

/** Folder of the screenshots. */
const PICTURES = join(REPOSITORY_ROOT, 'tmp', 'pictures');

/** Screenshots are slow: only TEST_PICTURES=1 and TEST_LONG=1 take them. */
export const LEAVES_PICTURES = ['TEST_PICTURES', 'TEST_LONG'].some((name) => process.env[name] !== undefined);

/** Whether all combinations are tested. */
export const IS_LONG = process.env['TEST_LONG'] !== undefined;
const SCREENS = { phone: PHONE.viewport, desktop: DESKTOP.viewport };

/**
 * Returns combinations of screen and colour scheme: all four with TEST_LONG, otherwise one of two that cover every
 * value, selected by the page's name, because axe takes seconds for a page with a picture.
 */
function combinationsOf(name: string): readonly (readonly [screen: keyof typeof SCREENS, scheme: 'light' | 'dark'])[] {
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

/** Result of {@link faultsOf} for a page without problems. */
export const NO_FAULT: readonly string[] = [];

/** Returns the accessibility problems of a page in each of its combinations, and takes screenshots if requested. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  mkdirSync(PICTURES, { recursive: true });
  const faults: string[] = [];
  for (const [screen, scheme] of combinationsOf(name)) {
    const viewport = SCREENS[screen];
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    if (viewport) await page.setViewportSize(viewport);
    const picture = `${name} ${screen} ${scheme}.png`.replaceAll(' ', '-');
    if (LEAVES_PICTURES) await page.screenshot({ path: join(PICTURES, picture), fullPage: true });
    faults.push(...(await accessibilityFaults(page)).map((fault) => `${screen} ${scheme}: ${fault}`));
  }
  await page.setViewportSize({ width: 320, height: 256 }); // 1280 × 1024 at 400 %
  faults.push(...(await page.evaluate<string[]>(NAMELESS_TABLES)));
  const sideways = await sidewaysScroll(page);
  return sideways === 0 ? faults : [...faults, `${sideways} pixels to scroll sideways at 400 %`];
}

/** Tables whose column names are hidden, or whose parts `display` turns into boxes without a role, so that names and cells no longer belong together. */
const NAMELESS_TABLES = `[...document.querySelectorAll('table')].flatMap((table) => {
  const parts = [table, ...table.querySelectorAll('thead, tbody, tr, th, td')];
  const displayOf = (part) => getComputedStyle(part).display;
  const isBox = parts.some((part) => !/^(table|none)/.test(displayOf(part)));
  const roleless = isBox ? parts.filter((part) => !part.hasAttribute('role')).map(({ localName }) => localName + ' without a role') : [];
  const hidden = parts.filter((part) => displayOf(part) === 'none').map(({ localName }) => localName + ' without display');
  return [...new Set([...hidden, ...roleless])].map((fault) => '400 %: ' + table.className + ': ' + fault);
})`;
