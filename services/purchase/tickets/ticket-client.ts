import type { AttachedFile, PurchaseSnapshot } from '@app/contracts';
import { createSnapshotPusher, httpClient } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import { isRemoved, type TicketContext, ticketNotFound } from './ticket-context.ts';

export type PushedPurchase = { purchase: PurchaseSnapshot; document?: AttachedFile };

/** Calls to the ticket service, on behalf of the caller whose internal token is given. */
export type TicketClient = ReturnType<typeof createTicketClient>;

/** In milliseconds. A failed push is retried for `pushForMs` at most. */
export type TicketTimeouts = { contextTimeoutMs?: number; pushTimeoutMs?: number; pushForMs?: number };
type Deps = TicketTimeouts & { baseUrl: string };

const id = Joi.string().hex().length(24);
const context = Joi.object<TicketContext>({
  ticket: Joi.object({ id: id.required(), number: Joi.string().required(), title: Joi.string().allow('').required() }),
  version: Joi.number().required(),
  updated_at: Joi.string().isoDate().required(),
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
type Contexts = { contexts: [TicketContext | null] };
const contextsReply = Joi.object<Contexts>({ contexts: Joi.array().items(context.allow(null)).length(1).required() });
type Kept = { kept: [boolean] };
const keptReply = Joi.object<Kept>({ kept: Joi.array().items(Joi.boolean()).length(1).required() });

export function createTicketClient(deps: Deps) {
  const { baseUrl, contextTimeoutMs = 3_000, pushTimeoutMs = 2_000, pushForMs: forMs } = deps;
  const contextClient = httpClient({ baseUrl, timeoutMs: contextTimeoutMs });
  const pushClient = httpClient({ baseUrl, timeoutMs: pushTimeoutMs });
  const pusher = createSnapshotPusher({ forMs });

  /** Null if the caller does not see the ticket. */
  async function findContext(ticketId: string, token: string): Promise<TicketContext | null> {
    const request = { path: '/internal/purchase-contexts', token, body: { ticket_ids: [ticketId] } };
    const { status, body } = await contextClient.request({ ...request, method: 'post' }).catch(rethrow);
    if (status !== 200) throw unavailable(new Error(`the ticket service answered ${status}`));
    const { value, error } = contextsReply.validate(body, { allowUnknown: true, convert: false });
    if (error) throw unavailable(error);
    return value.contexts[0];
  }

  async function push(pushed: PushedPurchase, token: string): Promise<number | null> {
    const request = { path: '/internal/purchases', token, body: { purchases: [pushed] } };
    const { status, body, version } = await pushClient.request({ ...request, method: 'put' });
    if (status !== 200) throw new Error(`the ticket service answered ${status}`);
    const { kept } = Joi.attempt(body, keptReply, { allowUnknown: true }) as Kept;
    // If the caller no longer sees the ticket, no read of it can lack the refused document.
    if (!kept[0] && (await findContext(pushed.purchase.ticket_id, token))) {
      throw new Error('the ticket service could not save it');
    }
    return version ?? null;
  }

  return {
    /**
     * The ticket as the caller sees it.
     * @throws AppError not_found `purchase_ticket_not_found`, unavailable `purchase_unavailable`, timeout `purchase_timeout`
     */
    async context(ticketId: string, token: string): Promise<TicketContext> {
      const found = await findContext(ticketId, token);
      if (!found || isRemoved(found)) throw ticketNotFound();
      return found;
    },
    /**
     * Pushes what was written, so that the next read of the ticket shows it. Each version is pushed once; a failed push is
     * retried for some seconds. What was written stays written, and repeating the request pushes it again.
     * @returns the version of the ticket, read after the push began; null if nothing was to be pushed
     * @throws AppError unavailable `purchase_unavailable`, timeout `purchase_timeout`: a read may not show it yet
     */
    pushSnapshot: (pushed: PushedPurchase, token: string): Promise<number | null> =>
      pusher.push(pushed.purchase, () => push(pushed, token)).catch(rethrowUnpushed),
  };
}

function rethrow(error: unknown): never {
  throw isTimeout(error)
    ? timeout('did not answer in time; nothing was written, try again', error)
    : unavailable(error);
}

/** The document is written, but the ticket may not show it until its event arrives or the request is repeated. */
function rethrowUnpushed(error: unknown): never {
  const then = 'what you sent is saved, but the ticket may not show it yet; send the same request again';
  throw isTimeout(error)
    ? timeout(`did not answer in time: ${then}`, error)
    : unavailable(error, `did not answer: ${then}`);
}

function isTimeout(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'timeout';
}

function timeout(what: string, cause: unknown): AppError {
  return new AppError('timeout', 'purchase_timeout', `the ticket service ${what}`, { cause });
}

function unavailable(cause: unknown, what = 'did not answer; nothing was written, try again'): AppError {
  return new AppError('unavailable', 'purchase_unavailable', `the ticket service ${what}`, { cause });
}
