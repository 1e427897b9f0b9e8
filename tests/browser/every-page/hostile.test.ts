import { pdfOf } from '@app/demo';
import type { Page } from '@playwright/test';
import { caller, ok, stack } from '../../e2e/platform.ts';
import { sidewaysBy } from '../accessibility.ts';
import { expect, newPage, open } from '../browser.ts';
import { phone } from '../tickets/ticket-pages.ts';
import { useWorld, type Words, type World } from '../world.ts';

/** What others write is text wherever it is shown: it runs nothing, turns nothing around, and pushes nothing out of the page. */
const script = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{{7*7}}\${7*7}`;
/**
 * It lacks the character that ends the reversal, so the text after it would be reversed too:
 * `exe.fdp` is read as `pdf.exe`.
 */
const reversedName = 'invoice\u202egpj.exe';
const longWord = 'Wartungsvertragsverlängerung'.repeat(6);
const hostile = `${script} ${reversedName} ${longWord}`;
/** Names may not be as long. */
const hostileName = `<b onclick=x>N\u202eame</b> ${longWord.slice(0, 90)}`;
const widths = [390, 1024, 1440];

const words: Words = {
  place: hostileName,
  equipment: hostileName,
  token: hostileName.slice(0, 100),
  endpoint: hostileName.slice(0, 100),
  title: hostile.slice(0, 200),
  description: hostile,
  note: hostile,
  quote: hostileName.slice(0, 100),
  document: `${reversedName} ${longWord}.pdf`,
  canceled: hostile.slice(0, 200),
  reason: hostile,
  supplier: hostileName,
  invoice: `H<b>${longWord.slice(0, 60)}`,
  invoiceFile: `${reversedName}.pdf`,
  invoiceFields: { lines: [{ label: hostile, quantity: '1', unit_price: '100.00', ht: '100.00', vat_rate: '0.20' }] },
  pdf: scriptedPdf,
  answer: (_req, res) => void res.writeHead(500, { 'content-type': 'text/html' }).end(hostile),
};
let world: World;
let page: Page;
useWorld(async (one) => {
  world = one;
  const { client } = world;
  await ok(client.api('POST /contractors', { name: hostileName, email: 'x@example.com' }));
  const names = { first_name: script.slice(0, 90), last_name: longWord.slice(0, 90) };
  const email = `${client.userId}@people.example`;
  await ok(client.ts('POST /company/users', { ...names, email, permissions: ['tickets'] }));
  page = await newPage(client, { isKept: true });
}, words);

/** Opens the browser's print dialog and runs a script, if the viewer lets it. */
function scriptedPdf(): Buffer {
  const plain = pdfOf([['Invoice H', 'Total 120,00 EUR']]).toString('latin1');
  const actions = '<< /S /JavaScript /JS (app.alert\\(1\\); this.print\\(\\);) >>';
  const names = `/Names << /JavaScript << /Names [(x) ${actions}] >> >>`;
  // The offsets in the cross-reference table are wrong then, as in many files; readers look for the
  // objects themselves.
  return Buffer.from(plain.replace('/Type /Catalog', `/Type /Catalog /OpenAction ${actions} ${names}`), 'latin1');
}

/** Characters that reverse the direction of the text after them. */
const directionMarks = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * Boxes whose content overflows into what stands beside them. Boxes that scroll, or cut their
 * content on purpose, do not count, unless columns of a table are pushed out of sight.
 */
function overflowingBoxes(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main, main *, [role=dialog] *')].flatMap((element) => {
      const { overflowX, display, position } = getComputedStyle(element);
      const isBox = element.clientWidth > 1 && !display.startsWith('inline') && position !== 'absolute';
      const isWhole = overflowX === 'visible' || element.querySelector(':scope > table') !== null;
      const runsOver = isBox && isWhole && element.scrollWidth > element.clientWidth + 1;
      return runsOver ? [`${element.tagName} ${element.className}: ${element.textContent.slice(0, 60)}`] : [];
    }),
  );
}

async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const over = await sidewaysBy(page);
    if (over > 0) faults.push(`${width} px: scrolls sideways by ${over} px`);
    // A busy machine draws it for the new width a little later.
    await expect.poll(() => overflowingBoxes(page), `boxes that overflow at ${width} px`).toEqual([]);
  }
  if (await page.evaluate(() => 'hacked' in window)) faults.push('a script has run');
  if (directionMarks.test((await page.locator('body').textContent()) ?? '')) faults.push('text is turned around');
  return faults;
}

test.each<[string, () => string, string]>([
  ['home', () => '/', script],
  ['the list of tickets', () => '/tickets', script],
  ['a ticket', () => world.ticket, script],
  ['the endpoints', () => '/webhooks', 'onclick=x'],
  ['an endpoint', () => world.endpoint, 'onclick=x'],
  ['a delivery and the answer to it', () => world.delivery, script],
  ['the bench', () => '/invoices?list=all', longWord.slice(0, 60)],
  ['an invoice', () => world.invoice, longWord.slice(0, 60)],
  ['the directory', () => '/directory', 'onclick=x'],
  ['places', () => '/settings', 'onclick=x'],
  ['tokens', () => '/tokens', 'onclick=x'],
  ['users', () => '/users', script.slice(0, 90)],
  ['the audit log', () => '/audit', 'onclick=x'],
])('%s: what others wrote stays text, in its order and within the page', async (_name, path, shown) => {
  await open(page, path());
  await expect(page.getByText(shown).first()).toBeVisible();
  await expect(page.getByText('Loading…')).toHaveCount(0);
  expect(await faultsOf(page)).toEqual([]);
});

test('the contractor reads the client’s words as text, on a phone', async () => {
  const van = await newPage(world.contractor, phone);
  await open(van, world.ticket);
  await expect(van.getByRole('list', { name: 'Timeline' }).getByText(script)).toBeVisible();
  await expect(van.getByRole('list', { name: 'Documents' }).getByText('gpj.exe')).toBeVisible();
  expect(await faultsOf(van)).toEqual([]);
});

test('a PDF with scripts is drawn, and none of them runs', async () => {
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await open(page, world.invoice);
  const document = page.getByRole('region', { name: 'Document' });
  await expect(document.getByText('Total 120,00 EUR')).toBeVisible();
  await page.evaluate(() => window.print);
  expect([dialogs, await page.evaluate(() => 'hacked' in window)]).toEqual([[], false]);
  // A link to the file itself is for saving: no browser opens it on the platform's host.
  const { download_url: url } = (await ok(world.client.ts(`GET ${world.invoice}/document`))).data;
  const { headers } = await caller(stack().download)(`GET ${url.replace(stack().download, '')}`);
  expect(headers['content-disposition']).toMatch(/^attachment/);
  expect(headers['content-security-policy']).toMatch(/sandbox/);
});
