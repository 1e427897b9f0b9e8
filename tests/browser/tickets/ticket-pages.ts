import type { Page } from '@playwright/test';
import { moves as names } from '../../../services/console/src/pages/tickets/moves/move-texts.en.ts';
import { type Contractor, type Member, newCompany, newContractorOf, ok } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect } from '../browser.ts';

/** Passes a client and a contractor of it to `begin`, for all tests of a file. Closes pages and browser after them. */
export function useParties(begin: (client: Member, contractor: Contractor) => unknown): void {
  beforeAll(async () => {
    const client = await newCompany('client');
    await begin(client, await newContractorOf(client));
  });
  afterEach(closePages);
  afterAll(closeBrowser);
}

/** Parts of the ticket pages, as tests name them. */
export const rows = (page: Page) => page.getByRole('table', { name: 'Tickets' }).getByRole('row');
export const bar = (page: Page) => page.getByRole('group', { name: 'Available moves' });
export const press = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true }).click();
export const badge = (page: Page, text: string) =>
  page.getByRole('heading', { level: 1 }).getByText(text, { exact: true });
export const statusMessage = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text);

/** Expects the page to offer exactly the moves that the API gives this member. */
export async function expectMovesOf(page: Page, member: Member, path: string): Promise<void> {
  const { data } = await ok(member.api(`GET ${path}`));
  const operations = (data.moves as { operation: keyof typeof names }[]).map(({ operation }) => names[operation]);
  await expect(bar(page).getByRole('button')).toHaveCount(operations.length);
  const shown = await bar(page).getByRole('button').allTextContents();
  expect(shown.sort().map((text, n) => text.startsWith(operations.sort()[n] as string))).toEqual(shown.map(() => true));
}

export const refusals = /status of 4\d\d/;
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
export const photo = { name: 'photo.png', mimeType: 'image/png', buffer: pixel() };

/** A picture of one pixel. */
function pixel(): Buffer {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  return Buffer.from(png, 'base64');
}
