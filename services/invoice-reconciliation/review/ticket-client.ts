import { type InvoiceLineSnapshot, type TicketSnapshot, ticketSnapshotSchema } from '@app/contracts';
import { createSnapshotPusher, httpClient } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';

/** Calls to the ticket service, with the internal token of the caller on whose behalf they are made. */
export type TicketClient = ReturnType<typeof createTicketClient>;

const placesReply = Joi.object<{ place_ids: string[] }>({
  place_ids: Joi.array().items(Joi.string()).required(),
});

/** `pushForMs`: how long a failed push is retried. */
export type TicketTimeouts = { readTimeoutMs?: number; pushTimeoutMs?: number; pushForMs?: number };

export function createTicketClient(deps: { baseUrl: string } & TicketTimeouts) {
  const { baseUrl, readTimeoutMs = 3_000, pushTimeoutMs = 2_000, pushForMs: forMs } = deps;
  const reading = httpClient({ baseUrl, timeoutMs: readTimeoutMs });
  const pushing = httpClient({ baseUrl, timeoutMs: pushTimeoutMs });
  const pusher = createSnapshotPusher({ forMs });
  return {
    /**
     * Null if the caller may not see such a ticket. @throws AppError timeout `service_timeout`,
     * unavailable `service_unavailable`
     */
    async snapshot(ticketId: string, token: string): Promise<TicketSnapshot | null> {
      const path = `/internal/tickets/${ticketId}/snapshot`;
      const { status, body } = await reading.request({ method: 'get', path, token });
      if (status === 404) return null;
      const { value, error } = ticketSnapshotSchema.validate(body, { allowUnknown: true, convert: false });
      if (status !== 200 || error) throw unexpectedResponse(error?.message ?? `it answered ${status}`);
      return value;
    },
    /** A place of the caller's company, or those of a limited caller, with all below. @throws as `snapshot` */
    async places(token: string, locationId?: string): Promise<string[]> {
      const path = `/internal/places${locationId === undefined ? '' : `?location_id=${locationId}`}`;
      const { status, body } = await reading.request({ method: 'get', path, token });
      const { value, error } = placesReply.validate(body, { allowUnknown: true, convert: false });
      if (status !== 200 || error) throw unexpectedResponse(error?.message ?? `it answered ${status}`);
      return value.place_ids;
    },
    /**
     * Pushes a line, once for each version, and retries for some seconds. `ticketId`: the ticket on which the line is or was.
     * @throws AppError timeout `service_timeout`, unavailable `service_unavailable`: a read may not show the line yet
     */
    async putLine(ticketId: string, line: InvoiceLineSnapshot, token: string): Promise<void> {
      const path = `/internal/tickets/${ticketId}/invoice-lines/${line.invoice_id}`;
      const push = async () => {
        const { status } = await pushing.request({ method: 'put', path, token, body: line });
        // The ticket was lost by a restore, and with it the line that was to be taken off.
        if (status === 404 && line.line === null) return;
        if (status >= 300) throw new Error(`the ticket service answered ${status}`);
      };
      await pusher.push({ id: line.invoice_id, version: line.version }, push).catch(rethrowAsNotShown);
    },
  };
}

/** The change is saved. A read of the ticket shows it once the event arrives, or after the same request again. */
function rethrowAsNotShown(cause: unknown): never {
  const isTimeout = cause instanceof AppError && cause.kind === 'timeout';
  const message = 'what you sent is saved, but the ticket may not show it yet; send the same request again';
  throw isTimeout
    ? new AppError('timeout', 'service_timeout', `the ticket service did not answer in time: ${message}`, { cause })
    : new AppError('unavailable', 'service_unavailable', `the ticket service did not answer: ${message}`, { cause });
}

function unexpectedResponse(reason: string): AppError {
  return new AppError('unavailable', 'service_unavailable', 'the ticket service gave no usable answer', {
    cause: new Error(reason),
  });
}
