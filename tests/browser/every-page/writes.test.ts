import type { Locator, Page } from '@playwright/test';
import { type Member, newCompany, newTicket, ok } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

/**
 * Writing: while an answer is late nothing is sent twice; if it is lost, nothing claims success,
 * and a second try does nothing twice.
 */
let client: Member;
let path: string;
beforeAll(async () => {
  client = await newCompany('client');
  path = await newTicket(client);
});
afterEach(closePages);
afterAll(closeBrowser);

const pdf = { name: 'plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') };

/**
 * The first change at that path is carried out; its answer is held, and lost once `lose` is called.
 */
async function loseAnswer(page: Page, of: RegExp): Promise<{ sent: () => number; lose: () => void }> {
  let sent = 0;
  let lose: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  await page.route(of, async (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    sent += 1;
    if (sent > 1) return route.fallback();
    await route.fetch();
    await lost;
    return route.abort();
  });
  return { sent: () => sent, lose };
}

type Write = {
  at: () => string;
  of: RegExp;
  /** What was entered, in a field that shows it. */
  enter: (page: Page, form: Page | Locator) => Promise<Locator>;
  /** Opens the form in a dialog. */
  opener?: string;
  send: string;
  entered: string;
  /** How many such things there are. */
  count: () => Promise<number>;
};

const fill = (form: Page | Locator, name: string | RegExp, value: string) =>
  form.getByRole('textbox', { name }).fill(value);
const listed = async (answer: ReturnType<Member['api']>, list: string) => (await ok(answer)).data[list].length;

/** One of each kind: JSON and files, from a page, in a page, and in a dialog. That every POST is repeated once: api/idempotency.ts. */
const writes: Record<string, Write> = {
  'a ticket': {
    ...{ at: () => '/tickets/new', of: /\/api\/v3\.0\/tickets$/, send: 'Create ticket', entered: 'Once only' },
    async enter(page) {
      await fill(page, 'Title', 'Once only');
      return page.getByRole('textbox', { name: 'Title' });
    },
    count: () => listed(client.api('GET /tickets?q=Once'), 'tickets'),
  },
  'a note': {
    ...{ at: () => path, of: /\/notes$/, send: 'Add note', entered: 'Said once' },
    async enter(page) {
      await fill(page, 'Note', 'Said once');
      return page.getByRole('textbox', { name: 'Note' });
    },
    count: () => listed(client.api(`GET ${path}/notes`), 'notes'),
  },
  'a document': {
    ...{ at: () => path, of: /\/documents$/, opener: 'Add document', send: 'Add', entered: 'plan.pdf' },
    async enter(page, form) {
      await page.locator('input[type=file]:not([capture])').setInputFiles(pdf);
      return form.getByRole('status');
    },
    count: () => listed(client.api(`GET ${path}/documents`), 'documents'),
  },
  'an invited user': {
    ...{ at: () => '/users', of: /\/company\/users$/, opener: 'Invite user', send: 'Invite user', entered: 'Moreau' },
    async enter(_page, form) {
      await fill(form, 'First name', 'Léa');
      await fill(form, 'Last name', 'Moreau');
      await fill(form, 'Email', `once.${client.userId}@people.example`);
      return form.getByRole('textbox', { name: 'Last name' });
    },
    count: () => listed(client.ts('GET /company/users'), 'items'),
  },
};

test.each(Object.entries(writes))('%s whose answer is late, then lost, is made once', async (_name, write) => {
  const before = await write.count();
  const page = await newPage(client, { expectedErrors: /ERR_FAILED/ });
  const { sent, lose } = await loseAnswer(page, write.of);
  await open(page, write.at());
  if (write.opener) await page.getByRole('button', { name: write.opener, exact: true }).click();
  const form = write.opener ? page.getByRole('dialog') : page;
  const field = await write.enter(page, form);
  const button = form.getByRole('button', { name: write.send, exact: true });
  await button.click();
  await expect.poll(sent).toBe(1);
  // Late: it is pressed again in vain, and everything stays as it was entered.
  await button.click({ force: true });
  await page.keyboard.press('Enter');
  const holds = () => field.evaluate((one) => ('value' in one ? String(one.value) : (one.textContent ?? '')));
  expect(await holds()).toBe(write.entered);
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
  lose();
  await expect(page.getByRole('alert').filter({ hasText: 'The server does not answer' })).toBeVisible();
  expect([sent(), await holds()]).toEqual([1, write.entered]);
  await expect(page.locator('[role=status][data-react-aria-top-layer]')).toHaveText('');
  const answered = page.waitForResponse((answer) => write.of.test(new URL(answer.url()).pathname) && answer.ok());
  await button.click();
  await answered;
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(await write.count()).toBe(before + 1);
});
