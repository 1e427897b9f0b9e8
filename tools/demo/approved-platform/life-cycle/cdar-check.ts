import type { Detail, InvoiceFacts, StoredFlow } from '../flow.ts';
import { type Cdar, readCdar } from './cdar-reader.ts';
import {
  actions,
  characteristics,
  guideline,
  invoiceTypes,
  platformRoles,
  reasons,
  referenceType,
  roles,
  statuses,
} from './cdar-rules.ts';

/** A life-cycle message that the platform took from the organisation before. */
export type Sent = Pick<Cdar, 'id' | 'number' | 'status'>;

type Add = (reasonCode: string, item: string, reasonMessage: string, level?: Detail['level']) => void;
type Known = { flows: readonly StoredFlow[]; sent: readonly Sent[] };

/** What an approved platform finds wrong with a buyer's life-cycle message, `item` being the term or rule of XP Z12-012. */
export function cdarFaults(document: string, known: Known): Detail[] {
  const details: Detail[] = [];
  const add: Add = (reasonCode, item, reasonMessage, level = 'Error') =>
    details.push({ level, item, reasonCode, reasonMessage });
  const cdar = readCdar(document);
  if (cdar === null) add('InvalidSchema', 'file', 'the file is no CDAR message');
  else {
    checkEnvelope(cdar, known, add);
    checkReference(cdar, add);
    checkStatus(cdar, add);
    checkInvoice(cdar, known, add);
  }
  return details;
}

function checkEnvelope(cdar: Cdar, { sent }: Known, add: Add): void {
  const rule = (item: string, isMet: boolean, message: string) => isMet || add('InvoiceLCRuleError', item, message);
  const { sender, issuer, recipients } = cdar;
  rule('MDT-2', cdar.businessProcess === 'REGULATED', 'the business process is REGULATED');
  rule('MDT-3', cdar.guideline === guideline, `the guideline is ${guideline}`);
  rule('MDT-4', cdar.id !== null && cdar.id.length <= 50, 'the id is required, with at most 50 characters');
  if (cdar.id !== null && sent.some(({ id }) => id === cdar.id)) {
    add('AlreadyExistingFlow', 'MDT-4', 'a message with this id was received');
  }
  rule('MDT-8', cdar.issuedAt !== null, 'the time of the message is required, in format 204');
  rule('MDT-21', isRole(sender?.role), 'the sender has a role of the list');
  rule('MDT-40', isRole(issuer?.role) && !platformRoles.includes(issuer?.role ?? ''), 'the issuer is no platform');
  rule('MDT-38', sirenOf(issuer) !== null, 'the issuer has an id of scheme 0002');
  rule('RecipientTradeParty', recipients.length > 0, 'there is a recipient');
  for (const { role, address } of recipients) {
    rule('RecipientTradeParty', isRole(role), 'each recipient has a role of the list');
    rule('MDT-73', platformRoles.includes(role ?? '') || address !== null, 'a recipient has an address and its scheme');
  }
  // The rule for public buyers takes every sender with an id for one of them.
  const ids = sender?.ids ?? [];
  if (cdar.status === '210' && ids.length > 0 && !ids.some(({ scheme }) => scheme === '0238')) {
    add('InvoiceLCRuleError', 'BR-FR-CDV-CL-09', 'reasons of 210B2G: the sender has an id, and none of scheme 0238');
  }
}

function checkReference(cdar: Cdar, add: Add): void {
  const rule = (item: string, isMet: boolean, message: string) => isMet || add('InvoiceLCRuleError', item, message);
  rule('BR-FR-CDV-09', cdar.typeCode === '23', 'a buyer’s message is of type 23');
  rule('MDT-78', cdar.statusAt !== null, 'the time of the status is required, in format 204');
  rule('ReferenceReferencedDocument', cdar.references === 1, 'the message is about one invoice');
  rule('MDT-87', cdar.number !== null, 'the number of the invoice is required');
  rule('MDT-91', invoiceTypes.includes(cdar.invoiceType ?? ''), 'the type of the invoice is one of BR-FR-04');
  rule('MDT-97', cdar.referenceType === referenceType, `the type of the reference is ${referenceType}`);
  rule('MDT-100', cdar.issueDate !== null, 'the date of the invoice is required, in format 102');
  rule('MDT-129', sirenOf(cdar.seller) !== null, 'the seller has an id of scheme 0002');
  rule('BR-FR-CDV-CL-07', cdar.seller?.role === 'SE', 'the role of the seller is SE');
}

function checkStatus({ status, statusCode, details }: Cdar, add: Add): void {
  const rule = (item: string, isMet: boolean, message: string) => isMet || add('InvoiceLCRuleError', item, message);
  const known = statuses[status ?? ''];
  if (known?.by !== 'BY') {
    if (known) add('InvoiceLCAccessDenied', 'MDT-105', `a buyer does not set ${status}`);
    else add('InvoiceLCStatusError', 'MDT-105', `there is no status ${status}`);
    return;
  }
  if (statusCode === null) add('InvoiceLCRuleError', 'MDT-88', 'the code of the status is absent', 'Warning');
  else if (statusCode !== known.code) add('InvoiceLCStatusError', 'MDT-88', `of ${status} the code is ${known.code}`);
  const allowed = reasons[status as string];
  if (allowed) {
    rule('MDT-113', details.length > 0 && details.every(({ reason }) => reason !== null), `${status} needs a reason`);
  }
  if (status === '210')
    rule(
      'MDT-126',
      details.some(({ notes }) => notes.length > 0),
      '210 needs a note',
    );
  for (const { reason, action, sequence, characteristics: given } of details) {
    rule('MDT-113', reason === null || !allowed || allowed.includes(reason), `${reason} is no reason of ${status}`);
    rule('MDT-121', action === null || actions.includes(action), `there is no action ${action}`);
    rule('MDT-124-2', sequence !== null, 'each detail has its sequence');
    for (const { typeCode, amount } of given) {
      rule('MDT-207', characteristics.includes(typeCode ?? ''), `there is no characteristic ${typeCode}`);
      const isAmount = amount === null ? typeCode !== 'MPA' : /^-?\d+(\.\d+)?$/.test(amount);
      if (!isAmount) add('InvoiceLCAmountError', 'MDT-215', `${typeCode} has no amount`);
    }
  }
}

/** The message must repeat the invoice that it names; one that the fake could not read may be any. */
function checkInvoice(cdar: Cdar, { flows, sent }: Known, add: Add): void {
  const invoices = flows.filter(({ flow }) => flow.flowType === 'SupplierInvoice' && flow.flowDirection === 'In');
  const named = invoices.flatMap(({ facts }) => (facts?.number === cdar.number && facts !== null ? [facts] : []));
  if (named.length === 0) {
    const mayBeAnother = invoices.some(({ facts }) => facts === null);
    if (!mayBeAnother) add('InvoiceLCRuleError', 'MDT-87', 'the organisation has no invoice of this number');
    return;
  }
  const [facts] = named.length === 1 ? named : named.filter(({ seller }) => seller === sirenOf(cdar.seller));
  if (facts) compare(cdar, facts, add);
  else add('InvoiceLCRuleError', 'MDT-129', 'the invoice of this number is of another seller');
  const before = sent.filter(({ number }) => number === cdar.number).map(({ status }) => status);
  const ended = before.includes('210') ? '210' : endOf(flows, cdar.number);
  if (ended) add('InvoiceLCInvalidStatus', 'MDT-105', `no status follows ${ended}`);
}

function compare(cdar: Cdar, { issueDate, typeCode, seller, buyer }: InvoiceFacts, add: Add): void {
  const rule = (item: string, isMet: boolean, message: string) => isMet || add('InvoiceLCRuleError', item, message);
  const [sellerId, issuerId] = [sirenOf(cdar.seller), sirenOf(cdar.issuer)];
  rule('MDT-100', cdar.issueDate === issueDate.replaceAll('-', ''), 'the invoice has another date');
  rule('MDT-91', cdar.invoiceType === typeCode, 'the invoice has another type');
  rule('MDT-129', seller === null || sellerId === null || sellerId === seller, 'the invoice is of another seller');
  if (buyer !== null && issuerId !== null && issuerId !== buyer) {
    add('InvoiceLCAccessDenied', 'MDT-38', 'the invoice is to another buyer');
  }
}

/** The status of the seller or a platform that ended the invoice. A rejected duplicate leaves the first delivery as it is. */
function endOf(flows: readonly StoredFlow[], number: string | null): string | null {
  const incoming = flows.filter(({ flow }) => flow.flowSyntax === 'CDAR' && flow.flowDirection === 'In');
  const messages = incoming.flatMap(
    ({ documents }) => readCdar(documents.Original?.bytes.toString('utf8') ?? '') ?? [],
  );
  const ends = messages.filter(
    ({ status, details }) => status === '220' || (status === '213' && details[0]?.reason !== 'DOUBLON'),
  );
  return ends.find((one) => one.number === number)?.status ?? null;
}

function isRole(role: string | null | undefined): boolean {
  return roles.includes(role ?? '');
}

function sirenOf(party: Cdar['seller']): string | null {
  return party?.ids.find(({ scheme }) => scheme === '0002')?.value ?? null;
}
