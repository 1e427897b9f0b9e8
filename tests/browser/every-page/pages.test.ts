import { eventually } from '@app/testing';
import type { Page } from '@playwright/test';
import { en } from '../../../services/console/src/i18n/texts.en.ts';
import { en as invoices } from '../../../services/console/src/pages/invoices/texts.en.ts';
import { en as errors } from '../../../services/console/src/words/error-texts.en.ts';
import { caller, ok, stack } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { expect, newPage, open, pendingOf, settled } from '../browser.ts';
import { useWorld, type World } from '../world.ts';
import { type Box, layoutFaults, settledBoxes, takePictures } from './layout.ts';
import { giveToken, pagesOfOperators, pagesOfUsers, routesOfTheConsole } from './pages.ts';

/**
 * Every page, opened once and looked at in every way: axe finds nothing in both themes, nothing scrolls sideways, and things are where the
 * stored layout has them. Then with answers that are late and fail once: the page says so, says nothing else that is
 * untrue, and shows everything in the end.
 */
let world: World;
let ofUser: Tab;
let ofOperator: Tab;
useWorld(async (one) => {
  world = one;
  const operator = caller(stack().tsApi, stack().adminToken);
  const { data: company } = await ok(operator('POST /admin/companies', { name: 'Halles Perrault', kind: 'client' }));
  await ok(operator('POST /admin/companies', { name: 'Perrault Services', kind: 'contractor' }));
  const { data: begun } = await ok(operator(`POST /admin/companies/${company.id}/exports`));
  await eventually(async () => {
    const { data: made } = await ok(operator(`GET /admin/exports/${begun.id}`));
    expect(made.state).toBe('done');
  });
  await eventually(async () => {
    for (const figure of ['tickets/open', 'invoices/to-treat'])
      expect((await ok(world.client.ts(`GET /statistics/${figure}`))).data).toMatchObject({ pending: 0 });
  });
  [ofUser, ofOperator] = (await Promise.all([world.client, null].map(newTab))) as [Tab, Tab];
  await ofOperator.page.context().route(isListOfExports, (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('company_id', company.id);
    return route.continue({ url: url.href });
  });
});

type Tab = { page: Page; pending: () => number };

async function newTab(member: World['client'] | null): Promise<Tab> {
  // A company without single sign-on gets 404 for its settings.
  const page = await newPage(member, { isKept: true, expectedErrors: /status of (?:500|404)/ });
  return { page, pending: pendingOf(page) };
}

const isListOfExports = (url: URL) => url.pathname === '/admin/exports';
/** The request by which the console checks the operator's token. It is always answered. */
const isTokenCheck = (url: URL) => url.pathname === '/admin/companies' && url.searchParams.get('limit') === '1';
const isAnswer = (url: URL) => !url.pathname.startsWith('/console') && !isTokenCheck(url);
const { documentFailed } = invoices;
const retried = { name: en.retry, exact: true } as const;
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

/**
 * The first answer from each address is late until the returned function is called, and then fails; except that of who is signed in.
 */
async function failLate(page: Page): Promise<{ letFail: () => void; failing: Set<string> }> {
  const { promise: late, resolve: letFail } = Promise.withResolvers<void>();
  const failing = new Set<string>();
  const isHeld = (url: URL) => isAnswer(url) && url.pathname !== '/auth/session';
  await page.route(isHeld, async (route) => {
    const { origin, pathname, searchParams } = new URL(route.request().url());
    for (const moment of ['since', 'until']) searchParams.delete(moment);
    // Links to files are signed anew each time.
    const address = origin === stack().tsApi ? `${pathname}?${searchParams}` : origin;
    if (failing.has(address)) return route.fallback();
    failing.add(address);
    await late;
    const headers = { 'x-request-id': 'request-of-the-test' };
    // The page may have gone on without it.
    await route.fulfill({ status: 500, json: failed, headers }).catch(() => undefined);
  });
  return { letFail, failing };
}

type Visit = { load: () => Promise<unknown>; isDrawn?: () => Promise<unknown>; layout: string | undefined };

/** Opens the page, and returns its texts once they are all there. */
async function whole({ page, pending }: Tab, { load, isDrawn }: Visit): Promise<string[]> {
  await page.unrouteAll();
  await page.setViewportSize({ width: 1280, height: 720 });
  await load();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await isDrawn?.();
  await settled(page, pending);
  return textsOf(page);
}

async function expectItLooksRight({ page }: Tab, { layout }: Visit): Promise<void> {
  if (layout && process.env['SCREENSHOTS']) await takePictures(page, layout);
  const boxes: Record<number, Box[]> = {};
  const faults = await accessibilityFaults(page, async (width) => {
    if (layout) boxes[width] = await settledBoxes(page);
  });
  if (layout) faults.push(...layoutFaults(layout, boxes));
  expect(faults).toEqual([]);
}

async function expectFailuresAreTold({ page, pending }: Tab, { load }: Visit, texts: string[]): Promise<void> {
  const unexpected = async () =>
    (await textsOf(page)).filter((text) => !texts.includes(text) && !textsWhileIncomplete.includes(text));
  const { letFail, failing } = await failLate(page);
  await load();
  const busyOrTitled = page.locator('[aria-busy=true]').or(page.getByRole('heading', { level: 1 }));
  await expect(busyOrTitled.first()).toBeVisible();
  expect(await unexpected()).toEqual([]);
  letFail();
  const retry = page.getByRole('button', retried);
  for (let round = 0; ; round += 1) {
    await settled(page, pending);
    expect(await unexpected()).toEqual([]);
    if ((await retry.count()) === 0) break;
    expect(round).toBeLessThan(30);
    await retry.first().click();
  }
  expect(failing.size).toBeGreaterThan(0);
  await expect.poll(() => textsOf(page)).toEqual(texts);
}

test.each(pagesOfUsers.map(([route, path, layout]) => ({ route, path, layout })))(
  '$route: it looks right, and late and failed answers are told',
  async ({ route, path, layout }) => {
    const address = path(world);
    // A PDF is drawn after it has come.
    const isDrawn = () => expect(ofUser.page.locator('mark').last()).toHaveText('120,00');
    const visit = {
      load: () => open(ofUser.page, address),
      layout,
      ...(route.startsWith('/invoices') && !route.startsWith('/invoices/tickets') && { isDrawn }),
    };
    const texts = await whole(ofUser, visit);
    await expectItLooksRight(ofUser, visit);
    // Another state of a page has the answers of the first.
    const [, first] = pagesOfUsers.find(([other]) => other === route) ?? [];
    if (path === first) await expectFailuresAreTold(ofUser, visit, texts);
  },
);

test.each(pagesOfOperators.map(([route, path, layout]) => ({ route, path, layout })))(
  '$route: the same, for an operator',
  async ({ path, layout }) => {
    const { page } = ofOperator;
    const load = async () => {
      await open(page, path(world));
      await giveToken(page);
    };
    const texts = await whole(ofOperator, { load, layout });
    await expectItLooksRight(ofOperator, { load, layout });
    await expectFailuresAreTold(ofOperator, { load, layout }, texts);
  },
);

test.each(['/login', '/forgot-password', '/set-password', '/platform/users'])(
  '%s looks right to anybody',
  async (path) => {
    const page = await newPage(null, { expectedErrors: /status of 401/ });
    await open(page, path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await accessibilityFaults(page)).toEqual([]);
  },
);

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
  const page = await newPage(world.client, { expectedErrors: /status of 429/, isFresh: true });
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

test('while it cannot be read who is signed in, the page says so, and goes on by Retry', async () => {
  const page = await newPage(world.client, { expectedErrors: /status of 500/ });
  const json = { error: 'the test lets this fail', code: 'internal_error' };
  await page.route('**/auth/session', (route) => route.fulfill({ status: 500, json }), { times: 1 });
  await open(page, '/users');
  await expect(page.getByRole('alert')).toContainText(en.failed);
  await page.getByRole('button', retried).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(en.users);
});

test('these are all routes of the console', () => {
  const seen = [...pagesOfUsers, ...pagesOfOperators].map(([route]) => route);
  expect([...new Set(seen)].sort()).toEqual(routesOfTheConsole().sort());
});
