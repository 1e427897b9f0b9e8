import { en } from '../../../services/console/src/i18n/texts.en.ts';
import { en as invoices } from '../../../services/console/src/pages/invoices/texts.en.ts';
import { en as errors } from '../../../services/console/src/words/error-texts.en.ts';
import { expect, newPage, open } from '../browser.ts';
import { useWorld, type World } from '../world.ts';

/** A page of which a part cannot be had says so, and goes on by Retry. All pages with all their answers: pages.test.ts. */
let world: World;
useWorld((one) => {
  world = one;
});

const { documentFailed } = invoices;
const retried = { name: en.retry, exact: true } as const;

test.each([
  ['is no PDF', /\/files\//, errors.document_unreadable],
  ['has no code to read it', /pdf\.worker/, en.noAnswer],
])('a document that %s says so, keeps its buttons, and comes by Retry', async (_what, of, said) => {
  const page = await newPage(world.client, { expectedErrors: /ERR_FAILED/ });
  await page.route(of, (route) =>
    /files/.test(route.request().url())
      ? route.fulfill({ contentType: 'application/pdf', body: 'no PDF' })
      : route.abort(),
  );
  await open(page, world.invoice);
  const pane = page.getByRole('region', { name: invoices.document });
  await expect(pane.getByRole('alert')).toContainText(said);
  await expect(pane.getByText(documentFailed)).toBeVisible();
  await expect(pane.getByRole('button', { name: invoices.download })).toBeVisible();
  await page.unroute(of);
  await pane.getByRole('button', retried).click();
  await expect(pane.locator('mark').last()).toHaveText('120,00');
  await expect(pane.getByRole('alert')).toHaveCount(0);
});

test.each([
  ['a page', /assets\/users-page/, () => '/users', () => en.users],
  ['the reader of PDFs', /assets\/pdf-view/, () => world.invoice, () => 'Fixit'],
])('%s whose code does not come is missing alone, and comes by Retry', async (_what, of, path, heading) => {
  const page = await newPage(world.client, { expectedErrors: /ERR_FAILED|dynamically imported module/ });
  await page.route(of, (route) => route.abort());
  await open(page, path());
  await expect(page.getByRole('alert')).toContainText(en.failed);
  await expect(page.getByRole('navigation', { name: en.main })).toBeVisible();
  await page.unroute(of);
  await page.getByRole('button', retried).click();
  await expect(page.getByRole('heading', { name: heading() }).first()).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a page that is asked to wait says for how long, and goes on by itself', async () => {
  const page = await newPage(world.client, { expectedErrors: /status of 429/, isFresh: true });
  await page.clock.install();
  let asked = 0;
  await page.route(
    ({ pathname }) => pathname === '/api/v3.0/tickets',
    (route) => {
      asked += 1;
      const json = { error: 'too many requests', code: 'rate_limited' };
      return asked > 1 ? route.fallback() : route.fulfill({ status: 429, json, headers: { 'retry-after': '60' } });
    },
  );
  await open(page, '/tickets');
  const bar = page.getByRole('alert').filter({ hasText: /^Too many requests: going on in \d+ s\.$/ });
  await expect(bar).toBeVisible();
  const ticket = page.getByRole('row', { name: /Heating is cold/ });
  await expect(ticket).toHaveCount(0);
  await page.clock.fastForward(61_000);
  await expect(ticket).toBeVisible();
  await expect(bar).toHaveCount(0);
});

test('while it cannot be read who is signed in, the page says so, and goes on by Retry', async () => {
  const page = await newPage(world.client, { expectedErrors: /status of 500/ });
  const json = { error: 'the test lets this fail', code: 'internal_error' };
  await page.route('**/auth/session', (route) => route.fulfill({ status: 500, json }), { times: 1 });
  await open(page, '/users');
  await expect(page.getByRole('alert')).toContainText(en.failed);
  await page.getByRole('button', retried).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(en.users);
});
