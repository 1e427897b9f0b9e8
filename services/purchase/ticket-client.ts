import type { AttachedFile, PurchaseFacts } from '@app/contracts';
import { type HttpClient, httpClient } from '@app/http';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import Joi from 'joi';
import { isRemoved, type TicketContext, ticketNotFound } from './ticket-context.ts';

export type HandedOver = { purchase: PurchaseFacts; document?: AttachedFile };

/** What this service asks of the ticket service and tells it, with the internal token of the caller. */
export type TicketClient = {
  /**
   * The ticket as the caller sees it.
   * @throws AppError not_found `purchase_ticket_not_found`, unavailable `purchase_unavailable`, timeout `purchase_timeout`
   */
  context(ticketId: string, token: string): Promise<TicketContext>;
  /**
   * Hands over what was written, so that a read of the ticket shows it from now on (design section 2). Never rejects: the
   * events tell it once more.
   */
  handOver(handed: HandedOver, token: string): Promise<void>;
};

type Deps = { baseUrl: string; logger: Logger; contextTimeoutMs?: number; handOverTimeoutMs?: number };

const id = Joi.string().hex().length(24);
const reply = Joi.object<TicketContext>({
  ticket: Joi.object({ id: id.required(), number: Joi.string().required(), title: Joi.string().allow('').required() }),
  version: Joi.number().required(),
  client_id: id.required(),
  own: Joi.object({
    view_id: id.required(),
    role: Joi.string().valid('client', 'contractor').required(),
    state: Joi.string().required(),
    status: Joi.string().required(),
  }).required(),
  contractor: Joi.object({ contractor_id: id.required(), company_id: id.allow(null).required() })
    .allow(null)
    .required(),
  quote_ids: Joi.array().items(id).required(),
});

export function createTicketClient(deps: Deps): TicketClient {
  const { baseUrl, logger, contextTimeoutMs = 3_000, handOverTimeoutMs = 1_000 } = deps;
  const asking = httpClient({ baseUrl, timeoutMs: contextTimeoutMs });
  const telling = httpClient({ baseUrl, timeoutMs: handOverTimeoutMs });
  return {
    context: (ticketId, token) => ask(asking, `/internal/tickets/${ticketId}/purchase-context`, token),
    async handOver({ purchase, document }, token) {
      const path = `/internal/tickets/${purchase.ticket_id}/purchases/${purchase.id}`;
      const body = { purchase, ...(document ? { document } : {}) };
      try {
        const { status } = await telling.request({ method: 'put', path, token, body });
        if (status !== 204) logger.warn('the ticket service refused a hand-over', { purchaseId: purchase.id, status });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        logger.warn('a hand-over failed; the events will do', { purchaseId: purchase.id, reason });
      }
    },
  };
}

/** The internal token that came with a request, to be forwarded with what is asked on its behalf. */
export function tokenOf({ headers }: { headers: { authorization?: string | undefined } }): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? '';
}

async function ask(client: HttpClient, path: string, token: string): Promise<TicketContext> {
  const { status, body } = await client.request({ method: 'get', path, token }).catch(rethrow);
  if (status === 404) throw ticketNotFound();
  if (status !== 200) throw unavailable(new Error(`the ticket service answered ${status}`));
  const { value, error } = reply.validate(body, { allowUnknown: true, convert: false });
  if (error) throw unavailable(error);
  if (isRemoved(value)) throw ticketNotFound();
  return value;
}

function rethrow(error: unknown): never {
  if (!(error instanceof AppError) || error.kind !== 'timeout') throw unavailable(error);
  const message = 'the ticket service did not answer in time; nothing was written, try again';
  throw new AppError('timeout', 'purchase_timeout', message, { cause: error });
}

function unavailable(cause: unknown): AppError {
  const message = 'the ticket service did not answer; nothing was written, try again';
  return new AppError('unavailable', 'purchase_unavailable', message, { cause });
}
