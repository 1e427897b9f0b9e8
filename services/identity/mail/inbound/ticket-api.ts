import { AppError } from '@app/kernel';
import { traceHeaders } from '@app/runtime/tracing';
import type { AttachedFile } from './read-mail.ts';

/** `code`: of a refusal; null if it was written. */
type Written = { code: string | null };

/** What is written under the session of a user, each once for its Idempotency-Key. */
export type TicketApi = ReturnType<typeof createTicketApi>;
type Target = { ticketId: string; session: string; key: string };

/** As long as the gateway gives an upload. */
const timeoutMs = 60_000;

/** The ticket API as the gateway serves it: with its checks, as for anybody. */
export function createTicketApi(gatewayUrl: string) {
  /** @throws AppError unavailable if it may work later */
  async function post({ ticketId, session, key }: Target, what: string, body: FormData | string): Promise<Written> {
    const response = await fetch(`${gatewayUrl.replace(/\/$/, '')}/api/v3.0/tickets/${ticketId}/${what}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${session}`,
        'idempotency-key': key,
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...traceHeaders(),
      },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause) => unavailable(String(cause)));
    const answer = (await response.json().catch(() => ({}))) as { code?: string };
    if (response.ok) return { code: null };
    const { status } = response;
    if (status >= 500 || status === 429 || status === 408 || answer.code === 'idempotency_key_in_progress') {
      unavailable(`it answered ${status}`);
    }
    return { code: answer.code ?? `status_${status}` };
  }
  return {
    addNote: (to: Target, note: { note: string; type: string }): Promise<Written> =>
      post(to, 'notes', JSON.stringify(note)),
    addDocument(
      to: Target,
      { name, type, content }: AttachedFile,
      visibility: 'shared' | 'internal',
    ): Promise<Written> {
      const form = new FormData();
      form.set('visibility', visibility);
      form.set('file', new Blob([content as Uint8Array<ArrayBuffer>], { type }), name);
      return post(to, 'documents', form);
    },
  };
}

function unavailable(reason: string): never {
  throw new AppError('unavailable', 'service_unavailable', `the ticket API cannot take an answer now: ${reason}`);
}
