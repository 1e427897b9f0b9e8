import { en as errors } from '../../../services/console/src/words/error-texts.en.ts';
import { type Contractor, type Member, newTicket, ok } from '../../e2e/platform.ts';
import { expect, newPage, open } from '../browser.ts';
import { badge, photo, press, refusals, useParties } from './ticket-pages.ts';

/**
 * What the API refuses in the forms of a ticket is shown at the field that it concerns, and nothing
 * that was entered is lost.
 */
let client: Member;
let contractor: Contractor;
useParties((...parties) => {
  [client, contractor] = parties;
});

test('an end before the start is told at the end', async () => {
  const path = await newTicket(client);
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  await press(page, 'Plan visit');
  const sheet = page.getByRole('dialog');
  const [start, end] = [sheet.getByLabel('Start', { exact: true }), sheet.getByLabel('End', { exact: true })];
  await start.fill('2032-06-02T10:00');
  await end.fill('2032-06-02T09:00');
  await sheet.getByRole('button', { name: 'Plan visit' }).click();
  await expect(end).toHaveAccessibleDescription(/before start/);
  await expect(end).toBeFocused();
  await expect(start).not.toHaveAccessibleDescription(/before start/);
  await expect(start).toHaveValue('2032-06-02T10:00');
  await end.fill('2032-06-02T11:00');
  await sheet.getByRole('button', { name: 'Plan visit' }).click();
  await expect(badge(page, 'Visit planned')).toBeVisible();
});

test('a file of another type is refused in words, and another one is taken in its place', async () => {
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, await newTicket(client));
  await page.getByRole('button', { name: 'Add document' }).click();
  const sheet = page.getByRole('dialog');
  const [file, add] = [page.locator('input[type=file]:not([capture])'), { name: 'Add', exact: true } as const];
  await file.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') });
  await sheet.getByRole('button', add).click();
  await expect(sheet.getByRole('alert')).toContainText(String(errors.file_type));
  await file.setInputFiles(photo);
  await sheet.getByRole('button', add).click();
  const documents = page.getByRole('list', { name: 'Documents' }).getByRole('listitem');
  await expect(documents).toHaveText([/photo\.png/]);
});

test('a receipt without a reference is refused at that field, and keeps its order', async () => {
  const path = await newTicket(client);
  await ok(client.api(`POST ${path}/purchases`, { kind: 'purchase_order', reference: 'PO-1', amount: 950 }));
  const page = await newPage(client, { expectedErrors: refusals });
  await open(page, path);
  await page.getByRole('button', { name: 'Add purchase' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: /Kind/ }).click();
  await page.getByRole('option', { name: 'Goods receipt' }).click();
  await sheet.getByRole('button', { name: /Purchase order/ }).click();
  await page.getByRole('option', { name: 'PO-1' }).click();
  await sheet.getByRole('button', { name: 'Add', exact: true }).click();
  const reference = sheet.getByRole('textbox', { name: 'Reference' });
  await expect(reference).toHaveAccessibleDescription(/required/);
  await expect(reference).toBeFocused();
  await reference.fill('GR-1');
  await sheet.getByRole('button', { name: 'Add', exact: true }).click();
  const purchases = page.getByRole('list', { name: 'Purchases' }).getByRole('listitem');
  await expect(purchases.filter({ hasText: 'GR-1' })).toContainText('of order PO-1');
});
