import { type InvoiceLineSnapshot, type TicketSnapshot, ticketSnapshotSchema } from '@app/contracts';
import { createSnapshotPusher, httpClient } from '@app/http';
import { AppError } from '@app/kernel';

/** What this service asks of the ticket service, with the internal token of the caller on whose behalf it asks. */
export type TicketClient = {
  /** Null where the caller sees no such ticket. @throws AppError timeout `service_timeout`, unavailable `service_unavailable` */
  facts(ticketId: string, token: string): Promise<TicketSnapshot | null>;
  /**
   * Hands a line over, so that the next read of the ticket shows it; once for each version, and for some seconds where it fails.
   * `ticketId`: where it is or, without line, was.
   * @throws AppError timeout `service_timeout`, unavailable `service_unavailable`: a read may not show it yet
   */
  putLine(ticketId: string, line: InvoiceLineSnapshot, token: string): Promise<void>;
};

const factsTimeoutMs = 3_000;
const handOverTimeoutMs = 2_000;

/** `handOverForMs`: for so long at most a hand-over that failed is begun again. */
type Deps = { baseUrl: string; handOverForMs?: number | undefined };

export function createTicketClient({ baseUrl, handOverForMs: forMs }: Deps): TicketClient {
  const asking = httpClient({ baseUrl, timeoutMs: factsTimeoutMs });
  const handing = httpClient({ baseUrl, timeoutMs: handOverTimeoutMs });
  const handOvers = createSnapshotPusher({ forMs });
  return {
    async facts(ticketId, token) {
      const { status, body } = await asking.request({
        method: 'get',
        path: `/internal/tickets/${ticketId}/facts`,
        token,
      });
      if (status === 404) return null;
      const { value, error } = ticketSnapshotSchema.validate(body, { allowUnknown: true, convert: false });
      if (status !== 200 || error) throw unexpected(error?.message ?? `it answered ${status}`);
      return value;
    },
    async putLine(ticketId, line, token) {
      const path = `/internal/tickets/${ticketId}/invoice-lines/${line.invoice_id}`;
      const tell = async () => {
        const { status } = await handing.request({ method: 'put', path, token, body: line });
        if (status >= 300) throw new Error(`the ticket service answered ${status}`);
      };
      await handOvers.push({ id: line.invoice_id, version: line.version }, tell).catch(rethrowUnseen);
    },
  };
}

/** The internal token that came with a request, to be forwarded with what is asked on its behalf. */
export function tokenOf({ headers }: { headers: { authorization?: string | undefined } }): string {
  return headers.authorization?.replace(/^Bearer /, '') ?? '';
}

/** It is written, but a read may not show it: only a repetition of the request, or in time the event, makes sure of that. */
function rethrowUnseen(cause: unknown): never {
  const isLate = cause instanceof AppError && cause.kind === 'timeout';
  const message = 'what you sent is saved, but the ticket may not show it yet; send the same request again';
  throw isLate
    ? new AppError('timeout', 'service_timeout', `the ticket service did not answer in time: ${message}`, { cause })
    : new AppError('unavailable', 'service_unavailable', `the ticket service did not answer: ${message}`, { cause });
}

function unexpected(reason: string): AppError {
  return new AppError('unavailable', 'service_unavailable', 'the ticket service gave no usable answer', {
    cause: new Error(reason),
  });
}
