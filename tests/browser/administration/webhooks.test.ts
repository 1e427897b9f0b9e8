import { answer, behaviours, eventually, type Receiver } from '@app/testing';
import type { Page } from '@playwright/test';
import { bodiesAt, type Member, newCompany, newReceiver, newTicket, ok } from '../../e2e/platform.ts';
import { accessibilityFaults } from '../accessibility.ts';
import { closeBrowser, closePages, expect, newPage, open } from '../browser.ts';

let receiver: Receiver;
let integrator: Member;
beforeAll(async () => {
  receiver = await newReceiver();
  integrator = await newCompany('client');
});
afterEach(closePages);
afterAll(async () => {
  await closeBrowser();
  await receiver.close();
});

async function endpointAt(path: string): Promise<{ id: string; secret: string }> {
  const body = { name: `At ${path}`, url: receiver.url(path), events: ['ticket.status_changed'] };
  return (await ok(integrator.ts('POST /webhooks/endpoints', body))).data;
}

/** A ticket that is canceled: its change of status is an event. */
async function event(): Promise<void> {
  const path = await newTicket(integrator);
  await ok(integrator.api(`PUT ${path}/cancel`, { reason_cancel: 'test' }));
}

const deliveries = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
const status = (page: Page) => page.getByRole('status');

test('a delivery that fails is told with its attempts, request and response', async () => {
  const { id } = await endpointAt('/failing');
  receiver.behave(answer(500, 'Out of order\n'.repeat(60)), '/failing');
  await event();
  const page = await newPage(integrator);
  await open(page, `/webhooks/${id}`);
  // The platform of the tests retries at once.
  await expect(deliveries(page).getByText('Exhausted')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Failing');
  await expect(page.getByText(/^Failing since/)).toContainText('Answered 500');
  await page.getByRole('button', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Delivered' }).click();
  await expect(page).toHaveURL(/status=succeeded/);
  await expect(page.getByText('No deliveries')).toBeVisible();
  await page.goBack();
  await expect(deliveries(page).getByRole('cell', { name: '6 of 6' })).toBeVisible();
  await deliveries(page).getByRole('link').click();
  const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
  // On a busy machine the receiver may be too late for one of them.
  await expect(attempts).toHaveCount(6);
  await expect(attempts.last()).toContainText('Answered 500');
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('X-Service-Signature');
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('ticket.status_changed');
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('Out of order');
  expect(await accessibilityFaults(page)).toEqual([]);
  // Why is said in French; a sentence that the console does not know is English, and marked as such.
  const french = await newPage(integrator, { locale: 'fr-FR' });
  await open(french, `/webhooks/${id}`);
  const why = french.getByText(/^En échec depuis/);
  await expect(why).toContainText('Réponse 500');
  await expect(why.locator('[lang=en]')).toHaveCount(0);
  await french.route(new RegExp(`/webhooks/endpoints/${id}$`), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), lastError: 'of a later release' } });
  });
  await french.reload();
  await expect(why.locator('[lang=en]')).toHaveText('of a later release');
  receiver.behave(behaviours.ok, '/failing');
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await expect(attempts.last()).toHaveText(/Succeeded/);
});

test('what is typed after Save stays, and the next Save sends it', async () => {
  const { id } = await endpointAt('/edited');
  const page = await newPage(integrator);
  await open(page, `/webhooks/${id}?tab=settings`);
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('First');
  const save = page.getByRole('button', { name: 'Save' });
  let answered: () => void = () => undefined;
  const typed = new Promise<void>((resolve) => {
    answered = resolve;
  });
  await page.route(`**/webhooks/endpoints/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await typed;
    await route.fallback();
  });
  await save.click();
  await name.fill('Second');
  answered();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('First');
  await expect(name).toHaveValue('Second');
  await save.click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Second');
});

test('Home counts an endpoint at which nothing arrives, as its list does, before the API calls it failing', async () => {
  const { id } = await endpointAt('/down');
  receiver.behave(answer(500), '/down');
  await event();
  const of = `GET /webhooks/endpoints/${id}/deliveries`;
  await eventually(async () =>
    expect((await ok(integrator.ts(of))).data.items).toMatchObject([{ status: 'exhausted' }]),
  );
  const page = await newPage(integrator);
  // As it is after the first attempts: those of the tests follow each other at once.
  await page.route('**/webhooks/endpoints', async (route) => {
    const response = await route.fetch();
    const { items } = await response.json();
    const down = items.find((one: { id: string }) => one.id === id);
    await route.fulfill({ response, json: { items: [{ ...down, health: 'ok' }] } });
  });
  await open(page, '/');
  await expect(page.getByRole('link', { name: 'Failing webhook endpoints' })).toHaveText(/^1/);
  await page.getByRole('link', { name: 'Failing webhook endpoints' }).click();
  await expect(page.getByRole('table', { name: 'Endpoints' })).toContainText('Retrying');
  await expect(page.getByRole('link', { name: 'API documents' })).toHaveAttribute('href', '/docs');
});

test('what was canceled while an endpoint was paused is counted, then sent', async () => {
  const { id } = await endpointAt('/paused');
  await ok(integrator.ts(`PATCH /webhooks/endpoints/${id}`, { active: false }));
  await event();
  const page = await newPage(integrator);
  await open(page, `/webhooks/${id}`);
  await expect(deliveries(page).getByText('Canceled')).toBeVisible();
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await expect(status(page).getByText(/^Enabled/)).toBeVisible();
  await page.getByRole('button', { name: 'Recover…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Recover since' });
  await dialog.getByRole('button', { name: 'Count' }).click();
  await expect(dialog.getByText('1 delivery will be sent again.')).toBeVisible();
  expect(receiver.at('/paused')).toEqual([]);
  await dialog.getByRole('button', { name: 'Recover', exact: true }).click();
  await expect(status(page).getByText('1 queued')).toBeVisible();
  await expect(deliveries(page).getByText('Delivered')).toBeVisible();
});

test('all that a filter finds is sent again, once it is said what that is, and nothing else', async () => {
  const { id } = await endpointAt('/resent');
  receiver.behave(behaviours.ok, '/resent');
  await event();
  await eventually(() => expect(bodiesAt(receiver, '/resent')).toHaveLength(1));
  receiver.behave(answer(500), '/resent');
  for (let n = 0; n < 2; n += 1) await event();
  const page = await newPage(integrator);
  await open(page, `/webhooks/${id}`);
  await expect(deliveries(page).getByText('Exhausted')).toHaveCount(2);
  const again = page.getByRole('button', { name: 'Send these again…' });
  // Without a filter by status it would send everything of 90 days again.
  await expect(again).toHaveCount(0);
  await page.getByRole('button', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Exhausted' }).click();
  await expect(deliveries(page)).toHaveCount(3);
  receiver.behave(behaviours.ok, '/resent');
  const before = receiver.at('/resent').length;
  await again.click();
  const question = page.getByRole('alertdialog', { name: 'Send all of these again?' });
  await expect(question).toContainText('Exhausted');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(receiver.at('/resent')).toHaveLength(before);
  await again.click();
  await question.getByRole('button', { name: 'Send again' }).click();
  await expect(status(page).getByText('2 sent again')).toBeVisible();
  await expect(page.getByText('No deliveries')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(deliveries(page).getByText('Delivered')).toHaveCount(3);
  const sent = bodiesAt(receiver, '/resent', before);
  expect(sent.map(({ event }) => event)).toEqual(Array(2).fill('ticket.status_changed'));
});

test('a signature is verified in the browser, and nothing is sent', async () => {
  const { id, secret } = await endpointAt('/verified');
  await ok(integrator.ts(`POST /webhooks/endpoints/${id}/test`));
  const [received] = receiver.at('/verified');
  const page = await newPage(integrator);
  await open(page, `/webhooks/${id}?tab=verify`);
  await page
    .getByRole('textbox', { name: 'X-Service-Signature' })
    .fill(String(received?.headers['x-service-signature']));
  await page.getByRole('textbox', { name: 'Raw body' }).fill(String(received?.body));
  await page.getByRole('textbox', { name: 'Secret' }).fill(secret);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByText('Signature is valid')).toBeVisible();
  expect(sent.join('')).not.toContain(secret);
});

test('an endpoint is replaced by another that sends the same headers, also after the dialog was closed', async () => {
  const old = await endpointAt('/replaced');
  const headers = [{ name: 'X-Key', value: 'the old value' }];
  await ok(integrator.ts(`PATCH /webhooks/endpoints/${old.id}`, { headers }));
  const page = await newPage(integrator);
  await open(page, `/webhooks/${old.id}?tab=settings`);
  const opener = page.getByRole('button', { name: 'Replace endpoint…' });
  await opener.click();
  const dialog = page.getByRole('dialog', { name: 'Replace this endpoint' });
  const own = dialog.getByRole('textbox', { name: 'Extra headers' });
  await expect(own).toHaveAccessibleDescription(/The old one sends X-Key/);
  await dialog.getByRole('button', { name: 'Create the replacement' }).click();
  await expect(dialog.getByRole('alert')).toHaveText(/^Enter X-Key, too/);
  await own.fill('x-key: the new value');
  await dialog.getByRole('button', { name: 'Create the replacement' }).click();
  const shown = page.getByRole('dialog', { name: 'Signing secret' });
  await shown.getByRole('checkbox', { name: 'I have stored it' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await opener.click();
  await expect(dialog.getByText('Replacement created')).toBeVisible();
  const question = page.getByRole('alertdialog', { name: 'Delete “At /replaced”?' });
  const untested = question.getByText(/^No test of the new endpoint has succeeded here/);
  await dialog.getByRole('button', { name: 'Delete the old one' }).click();
  await expect(untested).toBeVisible();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Send test event' }).click();
  await expect(dialog.getByRole('status')).toHaveText('The test was answered 200');
  expect(receiver.at('/replaced').map((received) => received.headers['x-key'])).toEqual(['the new value']);
  await dialog.getByRole('button', { name: 'Delete the old one' }).click();
  await expect(question).toContainText('It receives nothing more');
  await expect(untested).toHaveCount(0);
  await question.getByRole('button', { name: 'Delete endpoint' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'At /replaced (new)' })).toBeVisible();
  expect((await integrator.ts(`GET /webhooks/endpoints/${old.id}`)).status).toBe(404);
});
