import { connectPlatform, matchedInvoice, refuseOnce } from '../../e2e/approved-platform.ts';
import { newBuyer } from '../../e2e/invoicing.ts';
import { newCompany, newUser } from '../../e2e/platform.ts';
import { expect, newPage, open } from '../browser.ts';
import { benchPage, button, useBenches } from './bench-pages.ts';

useBenches();

test('a dispute that the platform refused says why; told again, the contractor reads it on its ticket', async () => {
  const client = await newCompany('client');
  const [{ contractor }, accountant, organization] = await Promise.all([
    newBuyer(client),
    newUser(client.companyId, ['accounting']),
    connectPlatform(client),
  ]);
  const { id, path, number } = await matchedInvoice(client, contractor, organization);
  const sentence = `One valve of ${number} is missing`;
  await refuseOnce(sentence);
  const page = await benchPage(accountant);
  await open(page, `/invoices/${id}`);
  const told = page.getByRole('list', { name: 'Told to the supplier' });
  await expect(told).toContainText('Taken in charge, taken');
  for (const [result, why] of [
    ['Disputed, not taken', 'not on a Sunday'],
    ['Disputed, taken', sentence],
  ] as const) {
    await button(page, 'Tell the supplier…').click();
    const sheet = page.getByRole('dialog');
    await expect(sheet).toContainText(/This supplier receives at 0225:\d{9}\./);
    await sheet.getByRole('radio', { name: /^Disputed/ }).check();
    await sheet.getByRole('button', { name: /What is wrong with it/ }).click();
    await page.getByRole('option', { name: 'Not delivered in full' }).click();
    await sheet.getByRole('textbox', { name: 'A sentence for the supplier' }).fill(sentence);
    await sheet.getByRole('button', { name: 'Tell the supplier' }).click();
    await expect(told.getByRole('listitem').first()).toContainText(result);
    await expect(told.getByRole('listitem').first()).toContainText(why);
  }
  const theirs = await newPage(contractor);
  await open(theirs, path);
  const line = theirs.getByRole('list', { name: 'Invoices' }).getByRole('listitem');
  await expect(line).toContainText(number);
  await expect(line).toContainText(`Not delivered in full. ${sentence}`);
});
