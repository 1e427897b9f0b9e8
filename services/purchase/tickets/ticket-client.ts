import type { AttachedFile, PurchaseSnapshot } from '@app/contracts';
import { createSnapshotPusher, httpClient } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import { togetherByToken } from '../together-client.ts';
import { isRemoved, type TicketContext, ticketNotFound } from './ticket-context.ts';

export type PushedPurchase = { purchase: PurchaseSnapshot; document?: AttachedFile };

/** What this service asks of the ticket service and tells it, with the internal token of the caller. */
export type TicketClient = {
  /**
   * The ticket as the caller sees it.
   * @throws AppError not_found `purchase_ticket_not_found`, unavailable `purchase_unavailable`, timeout `purchase_timeout`
   */
  context(ticketId: string, token: string): Promise<TicketContext>;
  /**
   * Hands over what was written, so that a read of the ticket shows it from now on; once for each version, and for some seconds
   * where it fails. What was written stays written, and whoever repeats its request hands it over again.
   * @throws AppError unavailable `purchase_unavailable`, timeout `purchase_timeout`: a read may not show it yet
   */
  pushSnapshot(handed: PushedPurchase, token: string): Promise<void>;
};

/** `handOverForMs`: for so long at most a hand-over that failed is begun again. */
export type TicketTimeouts = { contextTimeoutMs?: number; pushTimeoutMs?: number; pushForMs?: number };
type Deps = TicketTimeouts & { baseUrl: string };

const id = Joi.string().hex().length(24);
const context = Joi.object<TicketContext>({
  ticket: Joi.object({ id: id.required(), number: Joi.string().required(), title: Joi.string().allow('').required() }),
  version: Joi.number().required(),
  updated_at: Joi.string().isoDate(),
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
  const { baseUrl, contextTimeoutMs = 3_000, pushTimeoutMs: handOverTimeoutMs = 2_000, pushForMs: forMs } = deps;
  const asking = httpClient({ baseUrl, timeoutMs: contextTimeoutMs });
  const telling = httpClient({ baseUrl, timeoutMs: handOverTimeoutMs });
  const handOvers = createSnapshotPusher({ forMs });

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
  const hand = togetherByToken(handOverPauseMs, async (token, purchases: PushedPurchase[]) => {
    const request = { method: 'put', path: '/internal/purchases', token, body: { purchases } } as const;
    const { status, body } = await telling.request(request);
    if (status !== 200) throw new Error(`the ticket service answered ${status}`);
    return (Joi.attempt(body, keptReply, { allowUnknown: true }) as Kept).kept;
  });

  async function tell(handed: PushedPurchase, token: string): Promise<void> {
    if (await hand(handed, token)) return;
    // Refused: to whom the ticket is gone meanwhile no read can fail to show it.
    if (await contexts(handed.purchase.ticket_id, token)) throw new Error('the ticket service could not keep it');
  }

  return {
    async context(ticketId, token) {
      const found = await contexts(ticketId, token);
      if (!found || isRemoved(found)) throw ticketNotFound();
      return found;
    },
    async pushSnapshot(handed, token) {
      await handOvers.push(handed.purchase, () => tell(handed, token)).catch(rethrowUnseen);
    },
  };
}

/** The internal token that came with a request, to be forwarded with what is asked on its behalf. */
export function tokenOf({ headers }: { headers: { authorization?: string | undefined } }): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? '';
}

function rethrow(error: unknown): never {
  throw isLate(error) ? late('did not answer in time; nothing was written, try again', error) : unavailable(error);
}

/** It is written, but a read may not show it: only a repetition of the request, or in time the event, makes sure of that. */
function rethrowUnseen(error: unknown): never {
  const then = 'what you sent is saved, but the ticket may not show it yet; send the same request again';
  throw isLate(error) ? late(`did not answer in time: ${then}`, error) : unavailable(error, `did not answer: ${then}`);
}

function isLate(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'timeout';
}

function late(what: string, cause: unknown): AppError {
  return new AppError('timeout', 'purchase_timeout', `the ticket service ${what}`, { cause });
}

function unavailable(cause: unknown, what = 'did not answer; nothing was written, try again'): AppError {
  return new AppError('unavailable', 'purchase_unavailable', `the ticket service ${what}`, { cause });
}
