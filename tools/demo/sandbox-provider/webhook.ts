import { createHmac } from 'node:crypto';
import { HttpError } from '../fake-server/http-server.ts';
import type { Account } from './ledger.ts';

/** The platform's status, or why there is none. */
export type WebhookResult = { status: number | null; error: string | null };

const timeoutMs = 10_000;
const maxEvents = 1_000;

/**
 * Notifies the platform of invoices: one POST, signed over its bytes with the account's secret.
 * @throws HttpError 409 if the account has no address, client or secret
 */
export async function sendWebhook(account: Account, invoiceIds: readonly string[]): Promise<WebhookResult> {
  const { webhookUrl, webhookSecret, clientId } = account;
  if (!webhookUrl || !webhookSecret || !clientId) {
    throw new HttpError(409, 'no_webhook', 'the account has no webhook_url, webhook_secret and client_id');
  }
  if (invoiceIds.length > maxEvents) throw new HttpError(422, 'too_many', `at most ${maxEvents} events in a webhook`);
  const body = JSON.stringify({ clientId, events: invoiceIds.map((invoiceId) => ({ invoiceId })) });
  const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
  try {
    const response = await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-sandbox-signature': `sha256=${signature}` },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return { status: response.status, error: null };
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : 'unknown' };
  }
}
