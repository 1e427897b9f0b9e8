import { createHash } from 'node:crypto';
import { AppError } from '@app/kernel';
import { readBounded } from '../bounded-stream.ts';
import type { ProviderHttp } from '../http-client.ts';
import type { InvoiceReader } from '../invoice-reader.ts';
import { latest, list, record, text } from '../json.ts';
import type { Feedback } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { takenInCharge } from './cdar.ts';
import { multipart } from './multipart.ts';

type Call = { http: ProviderHttp; reader: InvoiceReader; owner: string; now: Date; signal: AbortSignal | undefined };

const maxDocumentBytes = 25_000_000;

/**
 * Sends life-cycle status 204, "Prise en charge", as a CDAR message: once per invoice, under a tracking id made of the
 * flow's, by which an earlier one is found. Nothing takes a 204 back, so a reversal sends nothing; the statuses a buyer has
 * left are refusals and disputes, which only people pronounce.
 */
export async function sendFeedback(call: Call, { externalId, outcome, ticket }: Feedback): Promise<void> {
  if (outcome === 'reversed') return;
  const trackingId = trackingIdOf(externalId);
  const flow = await call.http.json({
    path: ['flows', externalId],
    query: { docType: 'Metadata' },
    signal: call.signal,
  });
  if (await isSent(call, trackingId)) return;
  const answered = await answeredInvoice(call, flow, externalId);
  const receivedAt = latest([record(flow)['submittedAt'] ?? record(flow)['updatedAt']]);
  const message = Buffer.from(
    takenInCharge({ ...answered, ticketNumber: ticket.number, messageId: trackingId, receivedAt, at: call.now }),
  );
  const flowInfo = {
    trackingId,
    name: `${trackingId}.xml`,
    processingRule: text(record(flow)['processingRule']) ?? 'B2B',
    flowSyntax: 'CDAR',
    sha256: createHash('sha256').update(message).digest('hex'),
  };
  try {
    await call.http.bytes({ method: 'post', path: ['flows'], ...multipart(flowInfo, message), signal: call.signal });
  } catch (error) {
    // A first try whose answer was lost, or another replica's: the message is there.
    const refused = error instanceof ProviderError && error.kind === 'refused';
    if (!refused || !(await isSent(call, trackingId))) throw error;
  }
}

/** The invoice that the message is about, read from what the supplier sent. */
async function answeredInvoice({ http, reader, owner, signal }: Call, flow: unknown, id: string) {
  const call = { path: ['flows', id], query: { docType: 'Original' }, signal };
  const { stream } = await http.document(call, id);
  try {
    const document = await readBounded(stream, maxDocumentBytes);
    const payload = { raw: Buffer.from(JSON.stringify(flow)), document };
    return await reader.read({ format: 'afnor_to_answer', owner, withPayload: (use) => use(payload) });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error;
    throw new ProviderError('refused', `the invoice can't be answered, because it can't be read: ${error.message}`);
  }
}

/** Whether the platform has the message and has not refused it since. */
async function isSent({ http, signal }: Call, trackingId: string): Promise<boolean> {
  const body = { limit: 25, where: { trackingId } };
  const answer = record(await http.json({ method: 'post', path: ['flows', 'search'], body, signal }));
  const mine = list(answer['results'])
    .map(record)
    .filter((flow) => flow['trackingId'] === trackingId);
  return mine.some((flow) => record(flow['acknowledgement'])['status'] !== 'Error');
}

/** The same for the same invoice, in the form of a UUID, which some platforms insist on. */
function trackingIdOf(flowId: string): string {
  const hex = createHash('sha256').update(`${flowId}:204`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
