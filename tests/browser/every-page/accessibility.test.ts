import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { stack } from '../../e2e/platform.ts';
import { faultsInAllLooks } from '../accessibility.ts';
import { expect, newPage, open, pendingOf, settled } from '../browser.ts';
import { useWorld, type World } from '../world.ts';

/** Every route has no fault that axe finds, and scrolls in one direction, in both themes at three widths. */
let world: World;
useWorld((one) => {
  world = one;
});

const ofUsers: [route: string, path: () => string][] = [
  ['/', () => '/'],
  ['/invoices', () => '/invoices'],
  ['/invoices', () => '/invoices?list=all'],
  ['/invoices/:id', () => world.invoice],
  ['/tickets', () => '/tickets'],
  ['/tickets', () => '/tickets?q=nothing-has-this'],
  ['/tickets/new', () => '/tickets/new'],
  ['/tickets/:id', () => world.ticket],
  ['/webhooks', () => '/webhooks'],
  ['/webhooks/new', () => '/webhooks/new'],
  ['/webhooks/:id', () => world.endpoint],
  ['/webhooks/:id', () => `${world.endpoint}?tab=settings`],
  ['/webhooks/:id', () => `${world.endpoint}?tab=verify`],
  ['/webhooks/:id/deliveries/:deliveryId', () => world.delivery],
  ['/connections', () => '/connections'],
  ['/tokens', () => '/tokens'],
  ['/users', () => '/users'],
  ['/users/single-sign-on', () => '/users/single-sign-on'],
  ['/directory', () => '/directory'],
  ['/settings/:referential?', () => '/settings'],
  ['/audit', () => '/audit'],
  ['/account', () => '/account'],
];
const ofOperators = ['/platform/companies', '/platform/users', '/platform/exports'];
const ofAnybody = ['/login', '/forgot-password', '/set-password'];

async function faultsAt(page: Page, path: string): Promise<string[]> {
  const pending = pendingOf(page);
  await open(page, path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await settled(page, pending);
  return faultsInAllLooks(page);
}

test.each(ofUsers)('%s, by %s, for a user', async (route, path) => {
  // A company without single sign-on has none that could be found.
  const page = await newPage(
    world.client,
    route === '/users/single-sign-on' ? { expectedErrors: /status of 404/ } : {},
  );
  expect(await faultsAt(page, path())).toEqual([]);
});

test.each(ofAnybody)('%s, for anybody', async (path) => {
  expect(await faultsAt(await newPage(null, { expectedErrors: /status of 401/ }), path)).toEqual([]);
});

test.each(ofOperators)('%s, for an operator', async (path) => {
  const page = await newPage(null);
  const pending = pendingOf(page);
  expect(await faultsAt(page, path)).toEqual([]);
  await page.getByLabel('Platform token').fill(stack().adminToken);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByLabel('Platform token')).toHaveCount(0);
  await settled(page, pending);
  expect(await faultsInAllLooks(page)).toEqual([]);
});

test('these are all routes of the console', () => {
  const pages = join(__dirname, '../../../services/console/src/pages');
  const routes = readdirSync(pages).flatMap((folder) =>
    [...readFileSync(join(pages, folder, 'routes.ts'), 'utf8').matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path),
  );
  expect([...new Set(ofUsers.map(([route]) => route)), ...ofOperators].sort()).toEqual(routes.sort());
});
