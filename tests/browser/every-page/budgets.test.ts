import type { Locator, Page, Request } from '@playwright/test';
import { ok } from '../../e2e/platform.ts';
import { sidewaysBy } from '../accessibility.ts';
import { expect, newPage, open, pendingOf } from '../browser.ts';
import { useWorld, type World } from '../world.ts';

/** What a page costs, in what does not depend on how busy the machine is: requests and bytes, not time. */
let world: World;
useWorld((one) => {
  world = one;
});

/** It stays open beside the page, which waits for none of its events. */
const isStream = (request: Request) => request.resourceType() === 'eventsource';
const isAsset = (request: Request) => new URL(request.url()).pathname.startsWith('/console');
const isCode = (request: Request) => /\.(?:js|mjs|css)$/.test(new URL(request.url()).pathname);

function requestsOf(page: Page): Request[] {
  const seen: Request[] = [];
  page.on('request', (request) => seen.push(request));
  return seen;
}

async function bytesOf(requests: Request[]): Promise<number> {
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
}

/**
 * Until nothing is asked for any more: at any earlier moment it depends on how fast the answers are. `codeKb`: compressed, without
 * the code that reads PDFs, which is loaded after the page.
 */
type Cost = { answers: number; codeKb: number };

/** From now on the delivery is shown as waiting for its attempt. */
async function keepPending(page: Page): Promise<void> {
  const { data } = await ok(world.client.ts(`GET ${world.delivery.replace('/webhooks/', '/webhooks/endpoints/')}`));
  const json = { ...data, status: 'pending', nextAttemptAt: new Date().toISOString() };
  await page.route(/\/webhooks\/endpoints\/[^/]+\/deliveries\/[^/?]+$/, (route) => route.fulfill({ json }));
}

type Row = [name: string, path: () => string, shown: (page: Page) => Locator, cost: Cost | null];

const lastCard = (page: Page) => page.getByText('No contractor has worked in the last three months.');

test.each<Row>([
  // Each card asks for itself, and this user has all of them.
  ['home', () => '/', lastCard, { answers: 21, codeKb: 240 }],
  ['the bench', () => '/invoices', (page) => page.getByRole('row', { name: /F-1001/ }), { answers: 9, codeKb: 240 }],
  // Three of its answers are for the choices of the filters.
  ['the tickets', () => '/tickets', (page) => page.getByText('Heating is cold'), { answers: 9, codeKb: 240 }],
  ['a ticket', () => world.ticket, (page) => page.getByText('The key is at the desk'), { answers: 8, codeKb: 240 }],
  ['a pending delivery', () => world.delivery, (page) => page.getByRole('heading', { level: 1 }), null],
])(
  '%s: a first visit costs its budget at most, and a minute of looking at it 30 requests',
  async (_name, path, shown, cost) => {
    const page = await newPage(world.client, { isFresh: true });
    await page.clock.install();
    if (path() === world.delivery) await keepPending(page);
    const pending = pendingOf(page);
    const first = requestsOf(page);
    await open(page, path());
    await expect(shown(page)).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await expect.poll(pending).toBe(0);
    if (cost) await expectCost([...first], cost);
    const later = requestsOf(page);
    for (let second = 0; second < 60; second += 5) {
      await page.clock.runFor(5_000);
      await expect.poll(pending).toBe(0);
    }
    expect(later.length).toBeLessThanOrEqual(30);
  },
);

async function expectCost(requests: Request[], { answers, codeKb }: Cost): Promise<void> {
  expect(requests.filter((request) => !isAsset(request) && !isStream(request)).length).toBeLessThanOrEqual(answers);
  const code = requests.filter((request) => isCode(request) && !/pdf/.test(request.url()));
  expect(await bytesOf(code)).toBeLessThanOrEqual(codeKb * 1000);
  expect(await bytesOf(requests.filter((request) => /\.woff2$/.test(request.url())))).toBeLessThanOrEqual(50_000);
}

// What of a page is on paper.

/** In the dark, which paper is not. */
async function openOnPaper(path: string, locale = 'en-GB'): Promise<Page> {
  const page = await newPage(world.client, { colorScheme: 'dark', locale });
  await open(page, path);
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await page.emulateMedia({ media: 'print' });
  return page;
}

async function expectBlackOnWhite(page: Page): Promise<void> {
  const colours = await page.evaluate(() => {
    const shown = [...document.querySelectorAll('main *')].filter((element) => element.checkVisibility());
    return shown
      .map((element) => getComputedStyle(element))
      .map(({ color, backgroundColor }) => `${color} on ${backgroundColor}`);
  });
  const allowed = /^rgb\(0, 0, 0\) on (?:rgb\(255, 255, 255\)|rgba\(0, 0, 0, 0\))$/;
  expect(colours.length).toBeGreaterThan(20);
  expect(colours.filter((one) => !allowed.test(one))).toEqual([]);
}

const controls = 'aside, header:has(button), nav, button, input, textarea, form, [role=radiogroup], a[download]';

async function expectNoControls(page: Page): Promise<void> {
  expect(
    await page
      .locator(controls)
      .evaluateAll((found) => found.filter((one) => one.checkVisibility()).map(({ outerHTML }) => outerHTML)),
  ).toEqual([]);
}

test('a ticket on paper: all that it says, in one column, and nothing to press', async () => {
  const page = await openOnPaper(world.ticket);
  for (const text of ['Heating is cold', 'Since Monday', 'The key is at the desk', 'D-77', 'PO-1'])
    await expect(page.getByText(text).filter({ visible: true }).first()).toBeVisible();
  // Its name stands on a button on the screen.
  await expect(page.locator('[data-paper="plan.pdf"]')).toBeVisible();
  await expectNoControls(page);
  await expectBlackOnWhite(page);
  const dates = await page
    .locator('main time[title]')
    .evaluateAll((found) => found.map((one) => getComputedStyle(one, '::after').content));
  expect(dates.length).toBeGreaterThan(0);
  for (const date of dates) expect(date).toMatch(/20\d\d/);
});

test('an invoice on paper: the fields that were read in place of its PDF, its amounts and its history', async () => {
  const page = await openOnPaper(world.invoice, 'fr-FR');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('F-1001');
  await expect(page.getByRole('region', { name: 'Champs lus' })).toContainText('Fixit');
  await expect(page.getByRole('table', { name: 'Lignes' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Document' }).locator('canvas')).toBeHidden();
  await expectNoControls(page);
  await expectBlackOnWhite(page);
  // Nothing scrolls on paper.
  const cut = await page
    .locator('main *')
    .evaluateAll(
      (found) =>
        found.filter(
          (one) =>
            one.checkVisibility() &&
            one.scrollHeight > one.clientHeight + 2 &&
            getComputedStyle(one).overflowY !== 'visible',
        ).length,
    );
  expect(cut).toBe(0);
});

test('Home on paper: its counts and cards, without the side bar, in the width of a page', async () => {
  const page = await openOnPaper('/');
  await page.setViewportSize({ width: 680, height: 960 });
  await expect(page.getByRole('region', { name: 'Open tickets' }).getByRole('link').first()).toBeVisible();
  await expect(page.getByText('As a table').filter({ visible: true })).toHaveCount(0);
  await expectNoControls(page);
  expect(await sidewaysBy(page)).toBe(0);
  const { x } = (await page.locator('main').boundingBox()) ?? { x: null };
  expect(x).toBe(0);
});

test('the button opens the print dialog of the browser', async () => {
  const page = await newPage(world.client, { isFresh: true });
  await page.addInitScript(() => {
    window.print = () => document.documentElement.setAttribute('data-printed', '');
  });
  for (const path of [world.ticket, world.invoice]) {
    await open(page, path);
    await page.getByRole('button', { name: 'Print' }).click();
    await expect(page.locator('html[data-printed]')).toHaveCount(1);
  }
});
