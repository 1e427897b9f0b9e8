import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@app/kernel';
import { readBounded } from '../http/bounded-stream.ts';
import type { ProviderHttp } from '../http/http-client.ts';
import { latest, list, record, text } from '../parsing/json.ts';
import type { Feedback } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import type { InvoiceReader } from '../reading/invoice-reader.ts';
import { takenInCharge } from './cdar.ts';
import { flowDocument } from './flow-document.ts';

type Call = { http: ProviderHttp; reader: InvoiceReader; owner: string; now: Date; signal: AbortSignal | undefined };

const maxDocumentBytes = 25_000_000;

/**
 * Sends life-cycle status 204 "Prise en charge" as a CDAR message, once per invoice: its tracking
 * id derives from the id of the flow, so an earlier message is found. A reversal sends nothing: no
 * status takes a 204 back, and the other statuses of a buyer are refusals and disputes, which
 * people decide.
 */
export async function sendFeedback(call: Call, { externalId, outcome, ticket }: Feedback): Promise<void> {
  if (outcome !== 'taken_in_charge' || ticket === null) return;
  const trackingId = trackingIdOf(externalId);
  const flow = await call.http.json({
    path: ['flows', externalId],
    query: { docType: 'Metadata' },
    signal: call.signal,
  });
  if (await isSent(call, trackingId)) return;
  const invoice = await readInvoice(call, flow, externalId);
  const receivedAt = latest([record(flow)['submittedAt'] ?? record(flow)['updatedAt']]);
  const message = Buffer.from(
    takenInCharge({ ...invoice, ticketNumber: ticket.number, messageId: trackingId, receivedAt, at: call.now }),
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
    // An earlier attempt whose response was lost, or another replica, may have sent the message.
    const refused = error instanceof ProviderError && error.kind === 'refused';
    if (!refused || !(await isSent(call, trackingId))) throw error;
  }
}

/** Reads the invoice: the message repeats parts of it. */
async function readInvoice({ http, reader, owner, signal }: Call, flow: unknown, id: string) {
  const { stream } = await flowDocument(http, { id, name: id, signal });
  try {
    const document = await readBounded(stream, maxDocumentBytes);
    const payload = { raw: Buffer.from(JSON.stringify(flow)), document };
    return await reader.read({ format: 'afnor_to_answer', owner, withPayload: (use) => use(payload) });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error;
    throw new ProviderError('refused', `the invoice can't be answered, because it can't be read: ${error.message}`);
  }
}

/** Whether the platform has the message and did not reject it. */
async function isSent({ http, signal }: Call, trackingId: string): Promise<boolean> {
  const body = { limit: 25, where: { trackingId } };
  const answer = record(await http.json({ method: 'post', path: ['flows', 'search'], body, signal }));
  const mine = list(answer['results'])
    .map(record)
    .filter((flow) => flow['trackingId'] === trackingId);
  return mine.some((flow) => record(flow['acknowledgement'])['status'] !== 'Error');
}

/** Derived from the flow id, in the form of a UUID, which some platforms require. */
function trackingIdOf(flowId: string): string {
  const hex = createHash('sha256').update(`${flowId}:204`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/**
 * The body of `POST /flows`: `flowInfo` as a JSON field, `file` as a file. Not `FormData`: it gives each part with a content type
 * a file name, and servers then read the field as a file.
 */
function multipart(flowInfo: { name: string }, file: Buffer): { body: Buffer; headers: Record<string, string> } {
  const boundary = `----flow${randomBytes(18).toString('hex')}`;
  const head = [
    `--${boundary}`,
    'content-disposition: form-data; name="flowInfo"',
    'content-type: application/json',
    '',
    JSON.stringify(flowInfo),
    `--${boundary}`,
    `content-disposition: form-data; name="file"; filename="${flowInfo.name}"`,
    'content-type: application/xml',
    '',
    '',
  ].join('\r\n');
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}
