import { chromiumLaunch } from '@app/infra';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  expect as expectWithin,
  type Page,
  type Request,
} from '@playwright/test';
import { type Member, stack } from '../e2e/platform.ts';

/** `expect` that waits as long as a page may take on a busy machine. */
export const expect = expectWithin.configure({ timeout: 60_000 });

let contexts: { context: BrowserContext; errors: string[]; isKept: boolean }[] = [];
let browser: Browser | null = null;

async function openBrowser(): Promise<Browser> {
  browser ??= await chromium.launch(chromiumLaunch());
  return browser;
}

export const consoleUrl = () => `${stack().tsApi}/console`;

type Options = BrowserContextOptions & {
  /** Matches messages in the browser's console that the test causes, such as a refusal. */
  expectedErrors?: RegExp;
  /**
   * The page stays open for all tests of a file, which open one path after the other in it: code
   * that one test has loaded need not be loaded again. The session and what the console stores in
   * the browser stay too.
   */
  isKept?: boolean;
};

/**
 * A tab in a new browser context, in British English; with a member it is signed in. Errors in the browser's console
 * fail the test.
 */
export async function newPage(member: Pick<Member, 'session'> | null, options: Options = {}): Promise<Page> {
  const { expectedErrors, isKept = false, ...given } = options;
  const context = await (await openBrowser()).newContext({ locale: 'en-GB', timezoneId: 'Europe/Paris', ...given });
  const errors: string[] = [];
  contexts.push({ context, errors, isKept });
  if (member) await context.addCookies([{ name: 'session', value: member.session, url: stack().tsApi }]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !expectedErrors?.test(message.text())) errors.push(message.text());
  });
  return page;
}

/** Opens a path of the console. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${consoleUrl()}${path}`);
}

/** How many requests of the page have no answer yet, of those that it makes from now on. */
export function pendingOf(page: Page): () => number {
  const pending = new Set<Request>();
  page.on('request', (request) => pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  return () => pending.size;
}

/** In `afterEach` of every file: closes the tabs but those that are kept. @throws Error if a page has logged one */
export async function closePages(): Promise<void> {
  const open = contexts;
  contexts = open.filter(({ isKept }) => isKept);
  await Promise.all(open.filter(({ isKept }) => !isKept).map(({ context }) => context.close()));
  const errors = open.flatMap((one) => one.errors.splice(0));
  if (errors.length > 0) throw new Error(`the page logged errors:\n${errors.join('\n')}`);
}

/** In `afterAll` of every file. */
export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = null;
  contexts = [];
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
