import type { Page } from '@playwright/test';
import { sidewaysBy, violations } from '../accessibility.ts';
import { expect } from '../browser.ts';

export const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
export const titles = (page: Page) => page.getByRole('region').getByRole('heading', { level: 2 });

/** Nothing is wrong with the page: at 320 px, in both themes. */
export async function expectItFits(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await sidewaysBy(page)).toBe(0);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((one) => document.documentElement.setAttribute('data-theme', one), theme);
    expect(await violations(page, theme === 'light' ? 'all' : 'colours')).toEqual([]);
  }
}
