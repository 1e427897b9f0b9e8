import type { Locator, Page, Request } from '@playwright/test';
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
  ['home', () => '/', lastCard, { answers: 18, codeKb: 240 }],
  ['the bench', () => '/invoices', (page) => page.getByRole('row', { name: /F-1001/ }), { answers: 8, codeKb: 240 }],
  // Three of its answers are for the choices of the filters.
  ['the tickets', () => '/tickets', (page) => page.getByText('Heating is cold'), { answers: 8, codeKb: 240 }],
  ['a ticket', () => world.ticket, (page) => page.getByText('The key is at the desk'), { answers: 7, codeKb: 240 }],
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
  expect(requests.filter((request) => !isAsset(request)).length).toBeLessThanOrEqual(answers);
  const code = requests.filter((request) => isCode(request) && !/pdf/.test(request.url()));
  expect(await bytesOf(code)).toBeLessThanOrEqual(codeKb * 1000);
  expect(await bytesOf(requests.filter((request) => /\.woff2$/.test(request.url())))).toBeLessThanOrEqual(50_000);
}
