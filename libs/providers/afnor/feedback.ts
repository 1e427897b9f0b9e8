import { createHash, randomBytes } from 'node:crypto';
import type { CanonicalInvoice } from '@app/contracts';
import type { Identifier, ReplyFields } from '@app/einvoice';
import { AppError } from '@app/kernel';
import { readBounded } from '../http/bounded-stream.ts';
import { type ProviderHttp, parseJson } from '../http/http-client.ts';
import { identifier, type Json, latest, list, record, text } from '../parsing/json.ts';
import type { Feedback, FeedbackResult, SupplierDirectory } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import type { InvoiceReader } from '../reading/invoice-reader.ts';
import { lifeCycleMessage, notSendable } from './cdar.ts';
import { flowDocument } from './flow-document.ts';

type Call = {
  http: ProviderHttp;
  directory: SupplierDirectory | undefined;
  reader: InvoiceReader;
  owner: string;
  now: Date;
  signal: AbortSignal | undefined;
};

const maxDocumentBytes = 25_000_000;
/** Of the addresses in the directory. */
const scheme = '0225';

/**
 * Sends a status as a CDAR message, once for each key: its tracking id derives from flow and key, so an earlier message is found,
 * and what the platform says of it is the result. A reversal sends nothing: no status takes another one back.
 */
export async function sendFeedback(call: Call, feedback: Feedback): Promise<FeedbackResult> {
  const { externalId, outcome, key, reference } = feedback;
  if (outcome === 'reversed') return { state: 'accepted' };
  const trackingId = trackingIdOf(`${externalId}:${key}`);
  const flow = record(await metadata(call, externalId));
  const known = reference === null ? null : record(await metadata(call, reference));
  // One that was refused because another process had sent the same: what became of that one counts.
  const earlier = known === null || isRefused(known) ? ((await findMessage(call, trackingId)) ?? known) : known;
  if (earlier !== null) return resultOf(earlier);
  const message = await messageOf(call, { flow, feedback, trackingId });
  try {
    return await post(call, { flow, message, trackingId });
  } catch (error) {
    // An earlier attempt whose response was lost, or another replica, may have sent the message.
    const isAnswered = error instanceof ProviderError && error.kind === 'refused';
    const sent = isAnswered ? await findMessage(call, trackingId) : null;
    if (sent === null) throw error;
    return resultOf(sent);
  }
}

type Sent = { flow: Json; message: Buffer; trackingId: string };

async function post({ http, signal }: Call, { flow, message, trackingId }: Sent): Promise<FeedbackResult> {
  const flowInfo = {
    trackingId,
    name: `${trackingId}.xml`,
    processingRule: ruleOf(flow),
    flowSyntax: 'CDAR',
    sha256: createHash('sha256').update(message).digest('hex'),
  };
  const body = multipart(flowInfo, message);
  const answer = await http.bytes({ method: 'post', path: ['flows'], isOnce: true, ...body, signal });
  return { state: 'waiting', reference: identifier(record(jsonOrNull(answer))['flowId']) };
}

/** The message is sent, whatever the answer looks like. */
function jsonOrNull(answer: Buffer): unknown {
  try {
    return parseJson(answer);
  } catch {
    return null;
  }
}

function ruleOf(flow: Json): string {
  return text(flow['processingRule']) ?? 'B2B';
}

/** @throws ProviderError refused if the message would be invalid */
async function messageOf(call: Call, { flow, feedback, trackingId }: Omit<Sent, 'message'> & { feedback: Feedback }) {
  const { externalId, outcome: status, details, ticket } = feedback;
  if (status === 'reversed') throw notSendable('no status takes another one back');
  if (ruleOf(flow) === 'B2BInt' && status !== 'payment_sent') {
    throw notSendable('an invoice between countries (B2BInt) takes no status but a payment');
  }
  const read = await readInvoice(call, flow, externalId);
  const note = ticket === null ? null : `Ticket ${ticket.number}`;
  const receivedAt = latest([flow['submittedAt'] ?? flow['updatedAt']]);
  const times = { receivedAt, saidAt: feedback.at, at: call.now };
  const sellerAddress = await addressOfSeller(call, read);
  return Buffer.from(
    lifeCycleMessage({ ...read, sellerAddress, status, details, note, messageId: trackingId, ...times }),
  );
}

/** That of the invoice (BT-34) counts if the directory can't be asked whether it is in use. */
async function addressOfSeller(
  { directory, signal }: Call,
  { invoice, sellerAddress }: ReplyFields & { invoice: CanonicalInvoice },
): Promise<Identifier | null> {
  const { siren, siret } = invoice.supplier;
  const given = sellerAddress?.value.trim() ? sellerAddress : null;
  if (!directory || siren === null || (given && given.scheme !== scheme)) return given;
  try {
    const value = await directory.addressOf({ siren, siret, given: given?.value ?? null }, signal);
    return value === null ? null : { scheme, value };
  } catch (error) {
    if (given === null || signal?.aborted) throw error;
    return given;
  }
}

function metadata({ http, signal }: Call, id: string): Promise<unknown> {
  return http.json({ path: ['flows', id], query: { docType: 'Metadata' }, signal });
}

/** @throws ProviderError refused, with the platform's reasons, if it did not accept the message */
function resultOf(sent: Json): FeedbackResult {
  const { status, details } = record(sent['acknowledgement']);
  if (status === 'Ok') return { state: 'accepted' };
  if (status !== 'Error') return { state: 'waiting', reference: identifier(sent['flowId']) };
  const reasons = list(details).map((one) => reasonOf(record(one)));
  const why = reasons.filter((one) => one !== '').join('; ') || 'it gives no reason';
  throw new ProviderError('refused', `the platform refused the message: ${why}`, { code: 'message_refused' });
}

function reasonOf({ reasonCode, reasonMessage, item }: Json): string {
  const words = [text(reasonCode), text(reasonMessage)].filter((one) => one !== null).join(': ');
  const place = text(item);
  return place === null || words === '' ? words : `${words} (${place})`;
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

/** The message, if the platform has it. */
async function findMessage({ http, signal }: Call, trackingId: string): Promise<Json | null> {
  const body = { limit: 25, where: { trackingId } };
  const answer = record(await http.json({ method: 'post', path: ['flows', 'search'], body, signal }));
  const results = list(answer['results']).map(record);
  const mine = results.filter((flow) => flow['trackingId'] === trackingId);
  // A second flow with the id of the first is refused as such: what the platform says of the first counts.
  return mine.find((flow) => !isRefused(flow)) ?? mine[0] ?? null;
}

function isRefused(flow: Json): boolean {
  return record(flow['acknowledgement'])['status'] === 'Error';
}

/** In the form of a UUID, which some platforms require. */
function trackingIdOf(message: string): string {
  const hex = createHash('sha256').update(message).digest('hex');
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
