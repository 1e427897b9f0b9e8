import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { stack } from '../../e2e/platform.ts';
import { expect } from '../browser.ts';
import type { World } from '../world.ts';

type Path = (world: World) => string;

/** The pages of a client's users, by their routes. */
export const pagesOfUsers: [route: string, path: Path][] = [
  ['/', () => '/'],
  ['/invoices', () => '/invoices'],
  ['/invoices', () => '/invoices?list=all'],
  ['/invoices/:id', ({ invoice }) => invoice],
  ['/tickets', () => '/tickets'],
  ['/tickets', () => '/tickets?q=nothing-has-this'],
  ['/tickets/new', () => '/tickets/new'],
  ['/tickets/:id', ({ ticket }) => ticket],
  ['/webhooks', () => '/webhooks'],
  ['/webhooks/new', () => '/webhooks/new'],
  ['/webhooks/:id', ({ endpoint }) => endpoint],
  ['/webhooks/:id', ({ endpoint }) => `${endpoint}?tab=settings`],
  ['/webhooks/:id', ({ endpoint }) => `${endpoint}?tab=verify`],
  ['/webhooks/:id/deliveries/:deliveryId', ({ delivery }) => delivery],
  ['/connections', () => '/connections'],
  ['/tokens', () => '/tokens'],
  ['/users', () => '/users'],
  ['/users/single-sign-on', () => '/users/single-sign-on'],
  ['/directory', () => '/directory'],
  ['/settings/:referential?', () => '/settings'],
  ['/audit', () => '/audit'],
  ['/account', () => '/account'],
];

export const pagesOfOperators = ['/platform/companies', '/platform/users', '/platform/exports'];

/** One page of each route. */
export const onePageEach = pagesOfUsers.filter(
  ([route], n) => pagesOfUsers.findIndex(([other]) => other === route) === n,
);

/** All routes, as the areas of the console list them. */
export function routesOfTheConsole(): string[] {
  const areas = join(__dirname, '../../../services/console/src/pages');
  return globSync('*/routes.ts', { cwd: areas }).flatMap((file) =>
    [...readFileSync(join(areas, file), 'utf8').matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path as string),
  );
}

/** Gives a page of the operator its token. */
export async function giveToken(page: Page): Promise<void> {
  await page.getByLabel('Platform token').fill(stack().adminToken);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByLabel('Platform token')).toHaveCount(0);
}
