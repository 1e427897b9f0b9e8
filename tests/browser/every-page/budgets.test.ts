import type { Page, Request } from '@playwright/test';
import { ok } from '../../e2e/platform.ts';
import { expect, newPage, open, pendingOf } from '../browser.ts';
import { useWorld, type World } from '../world.ts';

/** What a page costs, in what does not depend on how busy the machine is: requests and bytes, not time. */
let world: World;
useWorld((one) => {
  world = one;
});

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

type Cost = { answers: number; codeKb: number };

test.each<[string, () => string, (page: Page) => unknown, Cost]>([
  [
    'home',
    () => '/',
    (page) => expect(page.getByText('Tickets to assign')).toBeVisible(),
    { answers: 10, codeKb: 200 },
  ],
  [
    'the bench',
    () => '/invoices',
    (page) => expect(page.getByRole('row', { name: /F-1001/ })).toBeVisible(),
    { answers: 7, codeKb: 240 },
  ],
  [
    'the tickets',
    () => '/tickets',
    (page) => expect(page.getByRole('row', { name: /Heating is cold/ })).toBeVisible(),
    // Three of them are for the choices of the filters.
    { answers: 8, codeKb: 240 },
  ],
  [
    'a ticket',
    () => world.ticket,
    (page) => expect(page.getByText('The key is at the desk')).toBeVisible(),
    { answers: 9, codeKb: 240 },
  ],
])(
  '%s: a first visit stays within its requests and bytes until its content is there',
  async (_name, path, shown, cost) => {
    const page = await newPage(world.client);
    const seen = requestsOf(page);
    await open(page, path());
    await shown(page);
    const until = [...seen];
    expect(until.filter((request) => !isAsset(request)).length).toBeLessThanOrEqual(cost.answers);
    // The code that reads PDFs is loaded after the page.
    const code = until.filter((request) => isCode(request) && !/pdf/.test(request.url()));
    expect(await bytesOf(code)).toBeLessThanOrEqual(cost.codeKb * 1000);
    expect(await bytesOf(until.filter((request) => /\.woff2$/.test(request.url())))).toBeLessThanOrEqual(50_000);
  },
);

/** From now on the delivery is shown as waiting for its attempt. */
async function keepPending(page: Page): Promise<void> {
  const { data } = await ok(world.client.ts(`GET ${world.delivery.replace('/webhooks/', '/webhooks/endpoints/')}`));
  const json = { ...data, status: 'pending', nextAttemptAt: new Date().toISOString() };
  await page.route(/\/webhooks\/endpoints\/[^/]+\/deliveries\/[^/?]+$/, (route) => route.fulfill({ json }));
}

const asItIs = () => Promise.resolve();

test.each<[string, () => string, (page: Page) => Promise<void>]>([
  ['the bench', () => '/invoices', asItIs],
  ['the tickets', () => '/tickets', asItIs],
  ['a ticket', () => world.ticket, asItIs],
  ['an endpoint', () => world.endpoint, asItIs],
  ['a delivery', () => world.delivery, keepPending],
  ['home', () => '/', asItIs],
])('%s: a tab that is looked at makes at most 30 requests a minute', async (_name, path, prepare) => {
  const page = await newPage(world.client);
  await page.clock.install();
  await prepare(page);
  const pending = pendingOf(page);
  await open(page, path());
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  const seen = requestsOf(page);
  for (let second = 0; second < 60; second += 5) {
    await page.clock.runFor(5_000);
    await expect.poll(pending).toBe(0);
  }
  expect(seen.length).toBeLessThanOrEqual(30);
});
