import { eventually } from '@app/testing';
import type { Page } from '@playwright/test';
import { type Account, anInvoice, newBuyer, ok, provider } from '../../e2e/invoicing.ts';
import { type Member, newCompany, newTicket, newUser } from '../../e2e/platform.ts';
import { closeBrowser, closePages, expect, newPage } from '../browser.ts';

/** The bench with its invoices, and its parts, as tests name them. */
export type Bench = { client: Member; accountant: Member; account: Account; contractor: { id: string } };
export type Job = { id: string; path: string; number: string; viewId: string };

/** Closes the pages of a test after it, and the browser after all. */
export function useBenches(): void {
  afterEach(closePages);
  afterAll(closeBrowser);
}

/** A client that is connected to the provider, with a user who has no permission but accounting. */
export async function newBench(): Promise<Bench> {
  const client = await newCompany('client');
  const [{ account, contractor }, accountant] = await Promise.all([
    newBuyer(client),
    newUser(client.companyId, ['accounting']),
  ]);
  await ok(account.connect());
  return { client, accountant, account, contractor };
}

/**
 * A tab in which invoices are changed. Feedback and matching change them meanwhile: the console then gets 412, and sends its change again.
 */
export function benchPage(member: Member, options: Parameters<typeof newPage>[1] = {}): Promise<Page> {
  const { expectedErrors = /^$/ } = options;
  return newPage(member, { ...options, expectedErrors: new RegExp(`status of 412|${expectedErrors.source}`) });
}

export async function newJob({ client, contractor }: Bench, title: string): Promise<Job> {
  const path = await newTicket(client, { title });
  await ok(client.api(`POST ${path}/assign`, { contractor_id: contractor.id }));
  const { number, views } = (await ok(client.api(`GET ${path}`))).data;
  return { id: path.split('/')[2] as string, path, number, viewId: views[0]._id };
}

export type File = { name: string; type: string; bytes: Buffer };

/** Adds an invoice, and waits until it is in the queue or in review. @returns its id */
export async function arrived({ account }: Bench, fields: object, file: File | null = null): Promise<string> {
  const document = file && { name: file.name, type: file.type, base64: file.bytes.toString('base64') };
  const invoice = anInvoice(fields);
  const body = { api_key: account.apiKey, invoice, notify: true, ...(document && { document }) };
  const externalId = (await ok(provider()('POST /admin/invoices', body))).data.invoice.id;
  return eventually(async () => {
    const all = [...(await account.queue()), ...(await account.inReview())];
    const found = all.find((one) => one.externalId === externalId);
    if (!found) throw new Error(`${externalId} waits nowhere`);
    return found.id;
  });
}

export const ticketReference = (job: Job) => ({ references: { ticket: job.number } });
export const rows = (page: Page) => page.getByRole('grid', { name: 'Invoices' }).getByRole('row');
export const row = (page: Page, number: string) => rows(page).filter({ hasText: number });
export const selected = (page: Page, number: string) =>
  expect(row(page, number)).toHaveAttribute('aria-selected', 'true');
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
export const shown = (page: Page, number: string) =>
  expect(page.getByRole('region', { name: 'Match' }).getByText(number, { exact: true })).toBeVisible();
