import { type InvoiceLineFacts, type TicketFacts, ticketFactsSchema } from '@app/contracts';
import { httpClient } from '@app/http';
import { AppError } from '@app/kernel';

/** What this service asks of the ticket service, with the internal token of the caller on whose behalf it asks. */
export type TicketClient = {
  /** Null where the caller sees no such ticket. @throws AppError timeout `service_timeout`, unavailable `service_unavailable` */
  facts(ticketId: string, token: string): Promise<TicketFacts | null>;
  /** Hands a line over, so that the next read of the ticket shows it. `ticketId`: where it is or, without line, was. */
  putLine(ticketId: string, line: InvoiceLineFacts, token: string): Promise<void>;
};

const factsTimeoutMs = 3_000;
/** An event repeats it: the answer to a link waits no longer for it. */
const handOverTimeoutMs = 1_000;

export function createTicketClient({ baseUrl }: { baseUrl: string }): TicketClient {
  const asking = httpClient({ baseUrl, timeoutMs: factsTimeoutMs });
  const handing = httpClient({ baseUrl, timeoutMs: handOverTimeoutMs });
  return {
    async facts(ticketId, token) {
      const { status, body } = await asking.request({
        method: 'get',
        path: `/internal/tickets/${ticketId}/facts`,
        token,
      });
      if (status === 404) return null;
      const { value, error } = ticketFactsSchema.validate(body, { allowUnknown: true, convert: false });
      if (status !== 200 || error) throw unexpected(error?.message ?? `it answered ${status}`);
      return value;
    },
    async putLine(ticketId, line, token) {
      const path = `/internal/tickets/${ticketId}/invoice-lines/${line.invoice_id}`;
      const { status } = await handing.request({ method: 'put', path, token, body: line });
      if (status >= 300) throw unexpected(`it answered ${status}`);
    },
  };
}

/** The internal token that came with a request, to be forwarded with what is asked on its behalf. */
export function tokenOf({ headers }: { headers: { authorization?: string | undefined } }): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? '';
}

function unexpected(reason: string): AppError {
  return new AppError('unavailable', 'service_unavailable', 'the ticket service gave no usable answer', {
    cause: new Error(reason),
  });
}
