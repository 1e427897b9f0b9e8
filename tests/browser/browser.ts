import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { rowsOfCsv } from '@app/testing';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  expect as expectWithin,
  type Locator,
  type Page,
  type Request,
} from '@playwright/test';
import { type Member, stack } from '../e2e/platform.ts';
import { chromiumLaunch } from '../setup/chromium.ts';

/** `expect` that waits as long as a page may take on a busy machine. */
export const expect = expectWithin.configure({ timeout: 60_000 });

type Tab = { context: BrowserContext; page: Page; given: BrowserContextOptions; errors: string[]; keep: Keep };
/** `file`: for all tests of the file. `test`: for one test, and then for another one. `never`: for one test. */
type Keep = 'file' | 'test' | 'never';

const viewport = { width: 1280, height: 720 };
let used: Tab[] = [];
/** Tabs of earlier tests, empty. What the browser has compiled for one test it need not compile for the next. */
let idle: Tab[] = [];
let browser: Promise<Browser> | null = null;

/** One for all tests of a file, also if two ask for it at once. */
function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch(chromiumLaunch());
  return browser;
}

export const consoleUrl = () => `${stack().tsApi}/console`;

type Options = BrowserContextOptions & {
  /** Matches messages in the browser's console that the test causes, such as a refusal. */
  expectedErrors?: RegExp;
  /**
   * The page stays open for all tests of a file, which open one path after the other in it. The session and what the
   * console stores in the browser stay too.
   */
  isKept?: boolean;
  /** Nothing is cached in it, and no other test gets it: for first visits, and for pages whose clock the test sets. */
  isFresh?: boolean;
};

/** A tab with nothing stored in it, in British English; with a member it is signed in. Errors in the browser's console fail the test. */
export async function newPage(member: Pick<Member, 'session'> | null, options: Options = {}): Promise<Page> {
  const { expectedErrors, isKept = false, isFresh = false, ...given } = options;
  const tab = (isFresh ? undefined : takeIdle(given)) ?? (await newTab(given));
  tab.keep = isKept ? 'file' : isFresh ? 'never' : 'test';
  used.push(tab);
  const { context, page, errors } = tab;
  if (member) await context.addCookies([{ name: 'session', value: member.session, url: stack().tsApi }]);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !expectedErrors?.test(message.text())) errors.push(message.text());
  });
  return page;
}

function takeIdle(given: BrowserContextOptions): Tab | undefined {
  const found = idle.find((one) => isDeepStrictEqual(one.given, given));
  idle = idle.filter((one) => one !== found);
  return found;
}

async function newTab(given: BrowserContextOptions): Promise<Tab> {
  const usual = { locale: 'en-GB', timezoneId: 'Europe/Paris', viewport, reducedMotion: 'reduce' } as const;
  const context = await (await openBrowser()).newContext({ ...usual, ...given });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return { context, page, given, errors: [], keep: 'never' };
}

/** Leaves nothing of a test in its tab. */
async function empty({ context, page, given }: Tab): Promise<void> {
  page.removeAllListeners();
  await page.goto('about:blank');
  await Promise.all(context.pages().map((one) => one === page || one.close()));
  const tools = await context.newCDPSession(page);
  await context.clearCookies();
  await tools.send('Storage.clearDataForOrigin', { origin: stack().tsApi, storageTypes: 'local_storage' });
  await tools.send('Page.resetNavigationHistory');
  await tools.detach();
  await page.setViewportSize(given.viewport ?? viewport);
}

/** Opens a path of the console. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${consoleUrl()}${path}`);
}

/** The file that the button or link gives, pressed by keyboard. */
export async function saved(button: Locator): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([button.page().waitForEvent('download'), button.press('Enter')]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** The titles and rows of a list's file. */
export async function csvOf(list: Page | Locator): Promise<string[][]> {
  const { bytes } = await saved(list.getByRole('button', { name: /^Download as CSV/ }));
  return rowsOfCsv(bytes, ',') as string[][];
}

/** How many requests of the page have no answer yet, of those that it makes from now on; that of the bell never ends. */
export function pendingOf(page: Page): () => number {
  const pending = new Set<Request>();
  page.on('request', (request) => request.resourceType() !== 'eventsource' && pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  return () => pending.size;
}

/** In `afterEach` of every file: ends the tabs but those that are kept. @throws Error if a page has logged one */
export async function closePages(): Promise<void> {
  const errors = used.flatMap((one) => one.errors.splice(0));
  const done = used.filter(({ keep }) => keep !== 'file');
  used = used.filter(({ keep }) => keep === 'file');
  const isReusable = ({ keep, page }: Tab) => keep === 'test' && !page.isClosed();
  // Else an answer that a test holds would fail the next one.
  const shown = done.filter(({ page }) => !page.isClosed());
  await Promise.all(shown.map(({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await Promise.all(done.map((one) => (isReusable(one) ? empty(one) : one.context.close())));
  idle.push(...done.filter(isReusable));
  if (errors.length > 0) throw new Error(`the page logged errors:\n${errors.join('\n')}`);
}

/** In `afterAll` of every file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = null;
  [used, idle] = [[], []];
}

/** Waits until no request is pending, and the page shows what came. */
export async function settled(page: Page, pending: () => number): Promise<void> {
  await expect
    .poll(async () => {
      const before = pending();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      return before + pending() + (await page.locator('[aria-busy=true]').count());
    })
    .toBe(0);
}
