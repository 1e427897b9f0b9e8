import type { AttachedFile, PurchaseFacts } from '@app/contracts';
import { httpClient } from '@app/http';
import { AppError } from '@app/kernel';
import type { Logger } from '@app/runtime';
import Joi from 'joi';
import { isRemoved, type TicketContext, ticketNotFound } from './ticket-context.ts';
import { togetherByToken } from './together-client.ts';

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
const context = Joi.object<TicketContext>({
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
type Contexts = { contexts: (TicketContext | null)[] };
const contextsReply = Joi.object<Contexts>({ contexts: Joi.array().items(context.allow(null)).required() });
type Kept = { kept: boolean[] };
const keptReply = Joi.object<Kept>({ kept: Joi.array().items(Joi.boolean()).required() });

/**
 * Whoever writes begins with this question, and what is asked together stays together: its inserts are one command, its events
 * one message, its hand-overs one request. Under load that saves more than the wait takes (docs/decisions.md).
 */
const questionsPauseMs = 40;
const handOverPauseMs = 8;

export function createTicketClient(deps: Deps): TicketClient {
  const { baseUrl, logger, contextTimeoutMs = 3_000, handOverTimeoutMs = 1_000 } = deps;
  const asking = httpClient({ baseUrl, timeoutMs: contextTimeoutMs });
  const telling = httpClient({ baseUrl, timeoutMs: handOverTimeoutMs });

  const contexts = togetherByToken(questionsPauseMs, async (token, ticket_ids: string[]) => {
    const request = { method: 'post', path: '/internal/purchase-contexts', token, body: { ticket_ids } } as const;
    const { status, body } = await asking.request(request).catch(rethrow);
    if (status !== 200) throw unavailable(new Error(`the ticket service answered ${status}`));
    const { value, error } = contextsReply.validate(body, { allowUnknown: true, convert: false });
    if (error) throw unavailable(error);
    const { contexts: found } = value;
    if (found.length !== ticket_ids.length) throw unavailable(new Error('it answered for other tickets than asked'));
    return found;
  });
  const hand = togetherByToken(handOverPauseMs, async (token, purchases: HandedOver[]) => {
    const request = { method: 'put', path: '/internal/purchases', token, body: { purchases } } as const;
    const { status, body } = await telling.request(request);
    if (status !== 200) throw new Error(`the ticket service answered ${status}`);
    return (Joi.attempt(body, keptReply, { allowUnknown: true }) as Kept).kept;
  });

  return {
    async context(ticketId, token) {
      const found = await contexts(ticketId, token);
      if (!found || isRemoved(found)) throw ticketNotFound();
      return found;
    },
    async handOver(handed, token) {
      const purchaseId = handed.purchase.id;
      try {
        if (!(await hand(handed, token))) logger.warn('the ticket service refused a hand-over', { purchaseId });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        logger.warn('a hand-over failed; the events will do', { purchaseId, reason });
      }
    },
  };
}

/** The internal token that came with a request, to be forwarded with what is asked on its behalf. */
export function tokenOf({ headers }: { headers: { authorization?: string | undefined } }): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? '';
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
