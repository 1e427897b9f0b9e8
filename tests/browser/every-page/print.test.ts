import type { Page } from '@playwright/test';
import { sidewaysBy } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import { useWorld, type World } from '../world.ts';

/** What of a page is on paper. */
let world: World;
useWorld((one) => {
  world = one;
});

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
