import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page, chromium } from 'playwright-core';
import { chromiumProgram } from './chromium-program';
import { PATIENCE_MS } from './until';

/** Starts a headless browser without background requests. Waits in its pages have the limit of `until`. */
export async function startBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: chromiumProgram() ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

/** The screens of the tests: a phone and a desktop. */
export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };

/** A platform authenticator, as phones have one. It verifies its user unless `verifiesUser` changes that. */
export interface VirtualAuthenticator {
  /** Returns the number of its passkeys. */
  credentials(): Promise<number>;
  /** Deletes its passkeys: Chromium's authenticator holds at most three discoverable ones. */
  clear(): Promise<void>;
  /** Sets whether it verifies its user. */
  verifiesUser(does: boolean): Promise<void>;
}

/** Adds a virtual authenticator to a page. */
export async function withAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    clear: async () => {
      await session.send('WebAuthn.clearCredentials', { authenticatorId });
    },
    verifiesUser: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
  };
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Runs axe in a page. Only violations leave the page, because the complete result for a picture takes long to transfer.
 */
const VIOLATIONS = `axe
  .run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(RULES)} }, resultTypes: ['violations'] })
  .then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))),
  )`;

/**
 * Returns what axe finds wrong on a page, as `rule: element`; WCAG 2.2 AA and its best practices. Pages have no frames.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(VIOLATIONS);
}

/** Returns by how many CSS pixels a page is wider than its window; 0 if it needs no horizontal scrolling. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate('Math.max(0, document.documentElement.scrollWidth - window.innerWidth)');
}

/** Collects console errors, uncaught exceptions and 5xx responses of the pages of a context. */
export function complaintsOf(context: BrowserContext): string[] {
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`${response.status()} ${response.url()}`);
  });
  return complaints;
}

/** An open page, and its errors since it was opened. */
export interface OpenedPage {
  readonly page: Page;
  readonly complaints: string[];
}

/** The page that calls without options share. */
const shared = new WeakMap<Browser, Promise<OpenedPage>>();

/**
 * Opens an address on a desktop. Calls without options share one page, whose cookies stay: a context and its process
 * cost as much as several pages. A page opened with options has a separate context, which ends with the browser.
 */
export async function openPage(
  browser: Browser,
  address: string,
  options?: BrowserContextOptions,
): Promise<OpenedPage> {
  const opened = options === undefined ? (shared.get(browser) ?? opens(browser)) : opens(browser, options);
  if (options === undefined) shared.set(browser, opened);
  const { page, complaints } = await opened;
  if (options === undefined) await asAtFirst(page);
  complaints.length = 0;
  await page.goto(address);
  return { page, complaints };
}

async function opens(browser: Browser, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext({ ...DESKTOP, ...options });
  return { complaints: complaintsOf(context), page: await context.newPage() };
}

/** Resets screen and colour scheme after an earlier call. */
async function asAtFirst(page: Page): Promise<void> {
  if (DESKTOP.viewport) await page.setViewportSize(DESKTOP.viewport);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** Waits for the page to which a click leads. */
export const follow = (page: Page, click: Promise<unknown>) => Promise.all([page.waitForEvent('load'), click]);

/** The heading of a page. */
export const heading = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();
