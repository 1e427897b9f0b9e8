import type { Page } from '@playwright/test';
import { en } from '../../../services/console/src/i18n/texts.en.ts';
import { en as invoices } from '../../../services/console/src/pages/invoices/texts.en.ts';
import { en as errors } from '../../../services/console/src/words/error-texts.en.ts';
import { stack } from '../../e2e/platform.ts';
import { expect, newPage, open, pendingOf, settled } from '../browser.ts';
import { useWorld, type World } from '../world.ts';
import { giveToken, onePageEach, pagesOfOperators } from './pages.ts';

/**
 * Reading: while answers are late, and after each has failed once, a page says so, says nothing
 * else that is untrue, and shows everything in the end.
 */
let world: World;
let ofUser: Page;
let ofOperator: Page;
useWorld(async (one) => {
  world = one;
  ofUser = await newPage(world.client, { isKept: true, expectedErrors: failures });
  ofOperator = await newPage(null, { isKept: true, expectedErrors: failures });
});

// A company without single sign-on gets 404 for its settings.
const failures = /status of (?:500|404)/;
/** The request by which the console checks the operator's token. It is always answered. */
const isTokenCheck = (url: URL) => url.pathname === '/admin/companies' && url.searchParams.get('limit') === '1';
const isAnswer = (url: URL) => !url.pathname.startsWith('/console') && !isTokenCheck(url);
const { documentFailed } = invoices;
const failed = { error: 'the test lets this fail', code: 'internal_error' };
/** Texts that a page may show while it is not complete. */
const textsWhileIncomplete = [
  en.failed,
  errors.internal_error,
  errors.document_failed,
  en.requestId,
  'request-of-the-test',
  en.retry,
  en.partFailed,
  en.loading,
  documentFailed,
  // The link back, as long as the name of the endpoint is not known.
  en.webhooks,
  '–',
];

/** The texts of the page in their order, but its title, and those that only say how long ago something was. */
async function textsOf(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement: parent, textContent } = walker.currentNode;
      if (parent?.checkVisibility() && !parent.closest('h1')) found.push(textContent?.trim() ?? '');
    }
    return found;
  });
  return texts.filter((text) => text !== '' && !/^(?:in )?\d+ (?:second|minute)s?(?: ago)?$|^now$/.test(text));
}

/** Holds all answers, except that of who is signed in, until the returned function is called. */
async function holdAnswers(page: Page): Promise<() => void> {
  let letThrough: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  const isHeld = (url: URL) => isAnswer(url) && url.pathname !== '/auth/session';
  await page.route(isHeld, async (route) => {
    await held;
    // The page may have gone on without it.
    await route.fallback().catch(() => undefined);
  });
  return letThrough;
}

/** The first request to each address is answered 500. */
async function failOnce(page: Page): Promise<Set<string>> {
  const failing = new Set<string>();
  await page.route(isAnswer, async (route) => {
    const { origin, pathname, searchParams } = new URL(route.request().url());
    for (const moment of ['since', 'until']) searchParams.delete(moment);
    // Links to files are signed anew each time.
    const address = origin === stack().tsApi ? `${pathname}?${searchParams}` : origin;
    if (failing.has(address)) return route.continue();
    failing.add(address);
    return route.fulfill({ status: 500, json: failed, headers: { 'x-request-id': 'request-of-the-test' } });
  });
  return failing;
}

type Load = (page: Page) => Promise<unknown>;

/** Reads the page whole, then with answers that wait, then with answers that fail once. */
async function expectLoadingAndErrorStates(
  page: Page,
  { load, whole: isWhole }: { load: Load; whole: Load },
): Promise<void> {
  await page.unrouteAll();
  const pending = pendingOf(page);
  await load(page);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await isWhole(page);
  await settled(page, pending);
  const whole = await textsOf(page);
  const unexpected = async () =>
    (await textsOf(page)).filter((text) => !whole.includes(text) && !textsWhileIncomplete.includes(text));

  const letThrough = await holdAnswers(page);
  await load(page);
  await expect(
    page
      .locator('[aria-busy=true]')
      .or(page.getByRole('heading', { level: 1 }))
      .first(),
  ).toBeVisible();
  expect(await unexpected()).toEqual([]);
  letThrough();
  await settled(page, pending);

  const failing = await failOnce(page);
  await load(page);
  const retry = page.getByRole('button', { name: en.retry, exact: true });
  for (let round = 0; ; round += 1) {
    await settled(page, pending);
    expect(await unexpected()).toEqual([]);
    if ((await retry.count()) === 0) break;
    expect(round).toBeLessThan(30);
    await retry.first().click();
  }
  expect(failing.size).toBeGreaterThan(0);
  await expect.poll(() => textsOf(page)).toEqual(whole);
}

test.each(onePageEach)(
  '%s: late and failed answers are said, nothing else is, and what failed is loaded by Retry',
  async (route, path) => {
    // A PDF is drawn after it has come.
    const isDrawn = async () => expect(ofUser.locator('mark').last()).toHaveText('120,00');
    const whole = /^\/invoices/.test(route) ? isDrawn : async () => undefined;
    await expectLoadingAndErrorStates(ofUser, { load: () => open(ofUser, path(world)), whole });
  },
);

test.each(pagesOfOperators)('%s: the same, for an operator', async (path) => {
  const load = async () => {
    await open(ofOperator, path);
    await giveToken(ofOperator);
  };
  await expectLoadingAndErrorStates(ofOperator, { load, whole: async () => undefined });
});

const retried = { name: en.retry, exact: true } as const;

test.each([
  ['is no PDF', /\/files\//, errors.document_unreadable],
  ['has no code to read it', /pdf\.worker/, en.noAnswer],
])('a document that %s says so, keeps its buttons, and comes by Retry', async (_what, of, said) => {
  const page = await newPage(world.client, { expectedErrors: /ERR_FAILED/ });
  await page.route(of, (route) =>
    /files/.test(route.request().url())
      ? route.fulfill({ contentType: 'application/pdf', body: 'no PDF' })
      : route.abort(),
  );
  await open(page, world.invoice);
  const pane = page.getByRole('region', { name: invoices.document });
  await expect(pane.getByRole('alert')).toContainText(said);
  await expect(pane.getByText(documentFailed)).toBeVisible();
  await expect(pane.getByRole('button', { name: invoices.download })).toBeVisible();
  await page.unroute(of);
  await pane.getByRole('button', retried).click();
  await expect(pane.locator('mark').last()).toHaveText('120,00');
  await expect(pane.getByRole('alert')).toHaveCount(0);
});

test.each([
  ['a page', /assets\/users-page/, () => '/users', () => en.users],
  ['the reader of PDFs', /assets\/pdf-view/, () => world.invoice, () => 'Fixit'],
])('%s whose code does not come is missing alone, and comes by Retry', async (_what, of, path, heading) => {
  const page = await newPage(world.client, { expectedErrors: /ERR_FAILED|dynamically imported module/ });
  await page.route(of, (route) => route.abort());
  await open(page, path());
  await expect(page.getByRole('alert')).toContainText(en.failed);
  await expect(page.getByRole('navigation', { name: en.main })).toBeVisible();
  await page.unroute(of);
  await page.getByRole('button', retried).click();
  await expect(page.getByRole('heading', { name: heading() }).first()).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a page that is asked to wait says for how long, and goes on by itself', async () => {
  const page = await newPage(world.client, { expectedErrors: /status of 429/ });
  await page.clock.install();
  let asked = 0;
  await page.route(
    ({ pathname }) => pathname === '/api/v3.0/tickets',
    (route) => {
      asked += 1;
      const json = { error: 'too many requests', code: 'rate_limited' };
      return asked > 1 ? route.fallback() : route.fulfill({ status: 429, json, headers: { 'retry-after': '60' } });
    },
  );
  await open(page, '/tickets');
  const bar = page.getByRole('alert').filter({ hasText: /^Too many requests: going on in \d+ s\.$/ });
  await expect(bar).toBeVisible();
  const ticket = page.getByRole('row', { name: /Heating is cold/ });
  await expect(ticket).toHaveCount(0);
  await page.clock.fastForward(61_000);
  await expect(ticket).toBeVisible();
  await expect(bar).toHaveCount(0);
});
