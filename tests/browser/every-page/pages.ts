import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { stack } from '../../e2e/platform.ts';
import { expect } from '../browser.ts';
import type { World } from '../world.ts';

type Path = (world: World) => string;

/** The pages of a client's users, by their routes. `layout`: the file that says where things are on it. */
export const pagesOfUsers: [route: string, path: Path, layout?: string][] = [
  ['/', () => '/', 'home'],
  ['/invoices', () => '/invoices', 'bench'],
  ['/invoices', () => '/invoices?list=all'],
  ['/invoices/:id', ({ invoice }) => invoice],
  ['/invoices/tickets/:id', ({ ticket }) => `/invoices${ticket}`],
  ['/accruals', () => '/accruals'],
  ['/tickets', () => '/tickets', 'tickets'],
  ['/tickets', () => '/tickets?q=nothing-has-this'],
  ['/tickets/new', () => '/tickets/new'],
  ['/tickets/:id', ({ ticket }) => ticket, 'ticket'],
  ['/agenda', () => '/agenda'],
  ['/agenda', () => '/agenda?view=month'],
  ['/webhooks', () => '/webhooks'],
  ['/webhooks/new', () => '/webhooks/new'],
  ['/webhooks/:id', ({ endpoint }) => endpoint, 'endpoint'],
  ['/webhooks/:id', ({ endpoint }) => `${endpoint}?tab=settings`],
  ['/webhooks/:id', ({ endpoint }) => `${endpoint}?tab=verify`],
  ['/webhooks/:id/deliveries/:deliveryId', ({ delivery }) => delivery, 'delivery'],
  ['/connections', () => '/connections'],
  ['/tokens', () => '/tokens'],
  ['/users', () => '/users', 'users'],
  ['/users/single-sign-on', () => '/users/single-sign-on'],
  ['/directory', () => '/directory'],
  ['/settings/:referential?', () => '/settings'],
  ['/settings/deadlines', () => '/settings/deadlines'],
  ['/settings/locations/:id', ({ place }) => place],
  ['/settings/equipments/:id', ({ equipment }) => equipment],
  ['/audit', () => '/audit'],
  ['/notifications', () => '/notifications'],
  ['/account', () => '/account'],
];

/** What other tests make meanwhile is not on them: a search leaves it out, or the test does. */
export const pagesOfOperators: [route: string, path: Path, layout?: string][] = [
  ['/platform/companies', () => '/platform/companies?q=Perrault', 'companies'],
  ['/platform/users', ({ client }) => `/platform/users?q=${encodeURIComponent(client.email)}`],
  ['/platform/exports', () => '/platform/exports'],
];

/** All routes, as the console lists them. */
export function routesOfTheConsole(): string[] {
  const listed = readFileSync(join(__dirname, '../../../services/console/src/routes.ts'), 'utf8');
  return [...listed.matchAll(/\blazyPage\(\s*'([^']+)'/g)].map(([, path]) => path as string);
}

/** Gives a page of the operator its token. */
export async function giveToken(page: Page): Promise<void> {
  await page.getByLabel('Platform token').fill(stack().adminToken);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByLabel('Platform token')).toHaveCount(0);
}
