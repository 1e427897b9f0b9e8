import type { Page } from '@playwright/test';

/** Parts of the ticket pages, as tests name them. */
export const rows = (page: Page) => page.getByRole('table', { name: 'Tickets' }).getByRole('row');
export const bar = (page: Page) => page.getByRole('group', { name: 'Available moves' });
export const press = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true }).click();
export const badge = (page: Page, text: string) =>
  page.getByRole('heading', { level: 1 }).getByText(text, { exact: true });
export const said = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text);

export const refusals = /status of 4\d\d/;
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
export const photo = { name: 'photo.png', mimeType: 'image/png', buffer: pixel() };

/** A picture of one pixel. */
function pixel(): Buffer {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  return Buffer.from(png, 'base64');
}
