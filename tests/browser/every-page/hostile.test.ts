import { pdfOf } from '@app/sandbox-provider';
import { behaviours, eventually, type Receiver } from '@app/testing';
import type { Page } from '@playwright/test';
import { anInvoice, newAccount, provider, siren, siret } from '../../e2e/invoicing.ts';
import {
  type Contractor,
  caller,
  type Member,
  newCompany,
  newContractorOf,
  newReceiver,
  newTicket,
  ok,
  stack,
} from '../../e2e/platform.ts';
import { sidewaysBy } from '../accessibility.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

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

let receiver: Receiver;
let client: Member;
let contractor: Contractor;
let ticket: string;
let endpoint: string;
let delivery: string;
let invoice: string;
let page: Page;

beforeAll(async () => {
  receiver = await newReceiver();
  client = await newCompany('client');
  contractor = await newContractorOf(client);
  await ok(client.api(`PATCH /contractors/${contractor.id}`, { siret }));
  await Promise.all([someSettings(), aTicket().then(anArrivedInvoice), aDelivery()]);
  page = await newPage(client, { isKept: true });
});
afterEach(closePages);
afterAll(async () => {
  await closeBrowser();
  await receiver.close();
});

async function someSettings(): Promise<void> {
  await ok(client.api('POST /contractors', { name: hostileName, email: 'x@example.com' }));
  await ok(client.api('POST /locations', { name: hostileName }));
  await ok(client.ts('POST /api-tokens', { name: hostileName.slice(0, 100) }));
  const names = { first_name: script.slice(0, 90), last_name: longWord.slice(0, 90) };
  const email = `${client.userId}@people.example`;
  await ok(client.ts('POST /company/users', { ...names, email, permissions: ['tickets'] }));
}

async function aTicket(): Promise<void> {
  ticket = await newTicket(client, { title: hostile.slice(0, 200), description: hostile });
  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  await ok(client.api(`POST ${ticket}/notes`, { note: hostile, type: 'public' }));
  const quote = new FormData();
  quote.append('reference', hostileName.slice(0, 100));
  quote.append('price', '10');
  await ok(contractor.api(`POST ${ticket}/quotes`, quote));
  await ok(client.api(`POST ${ticket}/documents`, fileForm(pdfOf([['Plan']]), `${reversedName} ${longWord}.pdf`)));
}

async function aDelivery(): Promise<void> {
  receiver.behave((_req, res) => void res.writeHead(500, { 'content-type': 'text/html' }).end(hostile), '/hostile');
  const body = { name: hostileName.slice(0, 100), url: receiver.url('/hostile'), events: ['ticket.status_changed'] };
  endpoint = (await ok(client.ts('POST /webhooks/endpoints', body))).data.id;
  const path = await newTicket(client, { title: hostile.slice(0, 200) });
  await ok(client.api(`PUT ${path}/cancel`, { reason_cancel: hostile }));
  delivery = await eventually(async () => {
    const { items } = (await ok(client.ts(`GET /webhooks/endpoints/${endpoint}/deliveries`))).data;
    expect(items[0]?.status).toBe('exhausted');
    return items[0].id;
  });
  receiver.behave(behaviours.ok, '/hostile');
}

/** Its document opens the browser's print dialog and runs a script, if the viewer lets it. */
async function anArrivedInvoice(): Promise<void> {
  const account = await newAccount(client);
  await ok(account.connect());
  const name = `${reversedName}.pdf`;
  const document = { name, type: 'application/pdf', base64: scriptedPdf().toString('base64') };
  const lines = [{ label: hostile, quantity: '1', unit_price: '100.00', ht: '100.00', vat_rate: '0.20' }];
  const { number } = (await ok(client.api(`GET ${ticket}`))).data;
  const supplier = { name: hostileName, siren, siret };
  const fields = anInvoice({ supplier, number: `H<b>${longWord.slice(0, 60)}`, lines, references: { ticket: number } });
  const body = { api_key: account.apiKey, notify: true, invoice: fields, document };
  await ok(provider()('POST /admin/invoices', body));
  invoice = await eventually(async () => {
    const found = [...(await account.queue()), ...(await account.inReview())][0];
    if (!found) throw new Error('it waits nowhere');
    return found.id;
  });
}

function fileForm(bytes: Buffer, name: string): FormData {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), name);
  return form;
}

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
 * content on purpose, do not count.
 */
function overflowingBoxes(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main, main *, [role=dialog] *')].flatMap((element) => {
      const { overflowX, display, position } = getComputedStyle(element);
      const isBox = element.clientWidth > 1 && !display.startsWith('inline') && position !== 'absolute';
      const runsOver = isBox && overflowX === 'visible' && element.scrollWidth > element.clientWidth + 1;
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
    faults.push(...(await overflowingBoxes(page)).map((box) => `${width} px: ${box}`));
  }
  if (await page.evaluate(() => 'hacked' in window)) faults.push('a script has run');
  if (directionMarks.test((await page.locator('body').textContent()) ?? '')) faults.push('text is turned around');
  return faults;
}

test.each<[string, () => string, string]>([
  ['the list of tickets', () => '/tickets', script],
  ['a ticket', () => ticket, script],
  ['the endpoints', () => '/webhooks', 'onclick=x'],
  ['an endpoint', () => `/webhooks/${endpoint}`, 'onclick=x'],
  ['a delivery and the answer to it', () => `/webhooks/${endpoint}/deliveries/${delivery}`, script],
  ['the bench', () => '/invoices?list=all', longWord.slice(0, 60)],
  ['an invoice', () => `/invoices/${invoice}`, longWord.slice(0, 60)],
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
  const van = await newPage(contractor, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await open(van, ticket);
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
  await open(page, `/invoices/${invoice}`);
  const document = page.getByRole('region', { name: 'Document' });
  await expect(document.getByText('Total 120,00 EUR')).toBeVisible();
  await page.evaluate(() => window.print);
  expect([dialogs, await page.evaluate(() => 'hacked' in window)]).toEqual([[], false]);
  // A link to the file itself is for saving: no browser opens it on the platform's host.
  const { download_url: url } = (await ok(client.ts(`GET /invoices/${invoice}/document`))).data;
  const { headers } = await caller(stack().download)(`GET ${url.replace(stack().download, '')}`);
  expect(headers['content-disposition']).toMatch(/^attachment/);
  expect(headers['content-security-policy']).toMatch(/sandbox/);
});
