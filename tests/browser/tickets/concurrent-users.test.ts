import type { Page } from '@playwright/test';
import { type Contractor, type Member, newTicket, newUser, ok } from '../../e2e/platform.ts';
import { expect, newPage, open, pendingOf, settled } from '../browser.ts';
import { badge, bar, refusals, useParties } from './ticket-pages.ts';

/** Two people have the same ticket open: what one does the other sees, and neither does it a second time. */
let client: Member;
let colleague: Member;
let contractor: Contractor;
useParties(async (...parties) => {
  [client, contractor] = parties;
  colleague = await newUser(client.companyId, ['tickets']);
});

/** How often a visible page reads its data again. */
const readAgainS = 30;
const move = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true });
const timeline = (page: Page) => page.getByRole('list', { name: 'Timeline' });

/** Opens a ticket with a clock that the test puts forward: nobody waits for half a minute. */
async function watch(member: Member, path: string): Promise<Page> {
  const page = await newPage(member, { expectedErrors: refusals, isFresh: true });
  await page.clock.install();
  await open(page, path);
  await expect(timeline(page)).toBeVisible();
  return page;
}

test('what one does the others see within half a minute, on both sides, without a reload', async () => {
  const path = await newTicket(client);
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  const [other, van] = await Promise.all([watch(colleague, path), watch(contractor, path)]);
  await other.getByRole('textbox', { name: 'Note' }).fill('I was about to say');
  await ok(client.api(`POST ${path}/notes`, { note: 'The key is at the desk', type: 'public' }));
  await ok(client.api(`PUT ${path}/cancel`, { reason_cancel: 'Sold the building' }));
  for (const page of [other, van]) {
    await page.clock.fastForward(readAgainS * 1000);
    await expect(badge(page, 'Canceled')).toBeVisible();
    await expect(timeline(page).getByText('The key is at the desk')).toBeVisible();
    await expect(move(page, 'Cancel ticket')).toHaveCount(0);
  }
  await expect(timeline(other).getByText('Canceled', { exact: true }).first()).toBeVisible();
  // Somebody was writing meanwhile.
  await expect(other.getByRole('textbox', { name: 'Note' })).toHaveValue('I was about to say');
});

test('a page that nobody touches reads nothing again, so that its session can end; the next touch reads at once', async () => {
  const path = await newTicket(client);
  const page = await watch(client, path);
  const pending = pendingOf(page);
  await page.clock.fastForward(15 * 60_000);
  await settled(page, pending);
  let asked = 0;
  page.on('request', () => {
    asked += 1;
  });
  await ok(client.api(`POST ${path}/notes`, { note: 'Anybody there?', type: 'public' }));
  await page.clock.fastForward(readAgainS * 1000);
  await settled(page, pending);
  expect(asked).toBe(0);
  await page.mouse.move(10, 10);
  await expect(timeline(page).getByText('Anybody there?')).toBeVisible();
});

// A move that another one has made impossible is refused, and the page says so: tickets.test.ts.
test('two who press the same at once see both that it is done, and it has happened once', async () => {
  const path = await newTicket(client);
  const pages = await Promise.all([client, colleague].map((one) => newPage(one, { expectedErrors: refusals })));
  for (const page of pages) {
    await open(page, path);
    await expect(move(page, 'Qualify')).toBeVisible();
  }
  for (const page of pages) await move(page, 'Qualify').click();
  const confirmed = (page: Page) => page.getByRole('alertdialog').getByRole('button', { name: 'Qualify' });
  await Promise.all(pages.map((page) => confirmed(page).click()));
  for (const page of pages) {
    await expect(badge(page, 'To assign')).toBeVisible();
    await expect(move(page, 'Qualify')).toHaveCount(0);
  }
  const { items } = (await ok(client.api(`GET ${path}/history`))).data;
  expect(items.filter((one: { operation: string }) => one.operation === 'qualify')).toHaveLength(1);
});
