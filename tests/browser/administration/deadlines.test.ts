import type { Page } from '@playwright/test';
import { newCompany, newContractorOf, newTicket, ok } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

afterEach(closePages);
afterAll(closeBrowser);

const finishOn = (page: Page) =>
  page.getByRole('region', { name: 'Deadlines' }).getByRole('listitem').filter({ hasText: 'Finish' });

test('an admin sets hours and deadlines with a preview, and both parties see them on a ticket', async () => {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  await ok(client.api('POST /locations', { name: 'Lille' }));
  const page = await newPage(client, { expectedErrors: /status of 4(12|22)/ });
  await open(page, '/settings');
  await page.getByRole('link', { name: 'Deadlines' }).click();
  const sheet = page.getByRole('dialog');

  await page.getByRole('button', { name: 'Add deadlines' }).click();
  await sheet.getByRole('combobox', { name: 'Place' }).fill('Lil');
  await page.getByRole('option', { name: 'Lille' }).click();
  await sheet.getByRole('textbox', { name: 'Response' }).fill('4');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(sheet).toContainText(/must have some of all places/i);
  // The field with the fault has the focus, and its list open.
  await page.keyboard.press('Escape');
  await sheet.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'Add working hours' }).click();
  await sheet.getByRole('textbox', { name: 'Time zone' }).fill('Lille');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(sheet.getByRole('textbox', { name: 'Time zone' })).toHaveAccessibleDescription(/no time zone/);
  await sheet.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Paris');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /All Mon 08:00-18:00, Tue 08:00-18:00.*Europe\/Paris/ })).toBeVisible();

  await page.getByRole('button', { name: 'Add deadlines' }).click();
  await sheet.getByRole('textbox', { name: 'Response' }).fill('4');
  await sheet.getByRole('textbox', { name: 'Finish' }).fill('5');
  await sheet.getByRole('button', { name: 'Unit' }).last().click();
  await page.getByRole('option', { name: 'Days' }).click();
  await sheet.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Preview: a ticket opened at').fill('2026-11-27T17:40');
  // The browser of the tests is in Paris.
  const row = page.getByRole('row', {
    name: /High All 4 working hours: Mon,? 30 Nov,? 11:40.*5 days: Wed,? 2 Dec,? 17:40/,
  });
  await expect(row).toBeVisible();
  expect(await accessibilityFaults(page)).toEqual([]);

  const ticket = await newTicket(client, { priority: 'high', title: 'Lift stands' });
  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  for (const party of [client, contractor]) {
    const shown = await newPage(party);
    await open(shown, ticket);
    await expect(finishOn(shown)).toContainText(/Running.*5 days left · 5 days/);
  }

  const shown = await newPage(client, { expectedErrors: /status of 422/ });
  await open(shown, ticket);
  await shown.getByRole('button', { name: 'Move the due date: Finish' }).click();
  const moving = shown.getByRole('dialog', { name: 'Move the due date: Finish' });
  await moving.getByLabel('New due date').fill('2020-01-01T09:00');
  await moving.getByRole('textbox', { name: 'Reason' }).fill('The part comes in June');
  await moving.getByRole('button', { name: 'Move' }).click();
  await expect(moving.getByLabel('New due date')).toHaveAccessibleDescription(/in the future/);
  const june = `${new Date().getFullYear() + 1}-06-01`;
  await moving.getByLabel('New due date').fill(`${june}T09:00`);
  await moving.getByRole('button', { name: 'Move' }).click();
  await expect(moving).toBeHidden();
  await expect(finishOn(shown).locator('time')).toHaveAttribute('datetime', `${june}T07:00:00.000Z`);
  const other = await newPage(contractor);
  await open(other, ticket);
  await expect(other.getByText(/Due date moved/)).toBeVisible();
  await expect(other.getByText(/The part comes in June/)).toBeVisible();
  await expect(other.getByRole('button', { name: /Move the due date/ })).toHaveCount(0);

  // Somebody else changes what this page shows.
  await page.getByRole('button', { name: 'Edit High, All' }).click();
  const { policies, hours } = (await ok(client.ts('GET /clock-settings'))).data;
  const low = { ...policies[0], priority: 'low' };
  await ok(client.ts('PUT /clock-settings', { policies: [low, ...policies], hours }));
  await sheet.getByRole('textbox', { name: 'Response' }).fill('6');
  await sheet.getByRole('textbox', { name: /Warn at/ }).fill('90');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(sheet).toContainText('Look at it as it is now');
  await sheet.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Edit High, All' }).click();
  await sheet.getByRole('textbox', { name: 'Response' }).fill('6');
  await sheet.getByRole('textbox', { name: /Warn at/ }).fill('90');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('row', { name: /^High All 6 working hours/ })).toContainText('at 90%');
  await expect(page.getByRole('row', { name: /^Low All 4 working hours/ })).toBeVisible();

  const saved = Promise.withResolvers<void>();
  await page.route('**/clock-settings', (route) => saved.promise.then(() => route.continue()));
  await page.getByRole('button', { name: 'Delete Low, All' }).click();
  // It would be refused as a change of what is no longer there.
  await expect(page.getByRole('button', { name: 'Delete High, All' })).toBeDisabled();
  saved.resolve();
  await page.getByRole('button', { name: 'Delete High, All' }).click();
  await expect(page.getByRole('heading', { name: /No deadlines yet/ })).toBeVisible();
});
