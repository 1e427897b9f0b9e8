import type { Page } from '@playwright/test';
import { accessibilityFaults } from '../accessibility.ts';
import { expect, newPage, open, pendingOf, settled } from '../browser.ts';
import { useWorld, type World } from '../world.ts';
import { giveToken, onePageEach, pagesOfOperators, pagesOfUsers, routesOfTheConsole } from './pages.ts';

/** Every route has no fault that axe finds, and scrolls in one direction, in both themes at three widths. */
let world: World;
let ofUser: Page;
let ofOperator: Page;
useWorld(async (one) => {
  world = one;
  // A company without single sign-on gets 404 for its settings.
  ofUser = await newPage(world.client, { isKept: true, expectedErrors: /status of 404/ });
  ofOperator = await newPage(null, { isKept: true });
});

const ofAnybody = ['/login', '/forgot-password', '/set-password'];

async function faultsAt(page: Page, path: string): Promise<string[]> {
  const pending = pendingOf(page);
  await open(page, path);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await settled(page, pending);
  return accessibilityFaults(page);
}

test.each(pagesOfUsers)('%s, for a user', async (_route, path) => {
  expect(await faultsAt(ofUser, path(world))).toEqual([]);
});

test.each(ofAnybody)('%s, for anybody', async (path) => {
  expect(await faultsAt(await newPage(null, { expectedErrors: /status of 401/ }), path)).toEqual([]);
});

test.each(pagesOfOperators)('%s, for an operator', async (path) => {
  const pending = pendingOf(ofOperator);
  expect(await faultsAt(ofOperator, path)).toEqual([]);
  await giveToken(ofOperator);
  await settled(ofOperator, pending);
  expect(await accessibilityFaults(ofOperator)).toEqual([]);
});

test('these are all routes of the console', () => {
  const seen = [...onePageEach.map(([route]) => route), ...pagesOfOperators];
  expect(seen.sort()).toEqual(routesOfTheConsole().sort());
});
