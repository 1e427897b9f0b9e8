import {
  actionCodes,
  type CanonicalInvoice,
  type InvoiceStatus,
  lackSentences,
  reasonCodes,
  type StatusDetails,
  statusRule,
} from '@app/contracts';
import type { Identifier, ReplyFields } from '@app/einvoice';
import { ProviderError } from '../provider-error.ts';
import { lackOf, typeCodeOf } from './life-cycle.ts';

/**
 * `messageId` has at most 50 characters. `saidAt` is the time at which the status was set, `at` that of the message, `receivedAt` that
 * of the invoice's arrival. `note` stands for the details of a status that has none.
 */
export type Message = ReplyFields & {
  invoice: CanonicalInvoice;
  status: InvoiceStatus;
  details: StatusDetails;
  note: string | null;
  messageId: string;
  receivedAt: Date | null;
  saidAt: Date;
  at: Date;
};

const namespaces = {
  rsm: 'urn:un:unece:uncefact:data:standard:CrossDomainAcknowledgementAndResponse:100',
  ram: 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  qdt: 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
  udt: 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
};

/**
 * A life-cycle message of a buyer about an invoice it received: CDAR D22B in the profile of the French reform (XP Z12-012), elements
 * in the order of the schema.
 * @throws ProviderError refused if the message would lack what it must have: the validators of platforms do not see all of it
 */
export function lifeCycleMessage(message: Message): string {
  assertComplete(message);
  const declared = Object.entries(namespaces).map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`);
  const context = element('rsm:ExchangedDocumentContext', [
    element('ram:BusinessProcessSpecifiedDocumentContextParameter', [element('ram:ID', 'REGULATED')]),
    element('ram:GuidelineSpecifiedDocumentContextParameter', [element('ram:ID', 'urn.cpro.gouv.fr:1p0:CDV:invoice')]),
  ]);
  const root = 'rsm:CrossDomainAcknowledgementAndResponse';
  const content = `${context}${exchanged(message)}${acknowledgement(message)}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${declared.join('')}>${content}</${root}>\n`;
}

function assertComplete(message: Message): void {
  const { invoice, messageId, receivedAt } = message;
  const lack = lackOf(message) ?? (message.sellerAddress?.value.trim() ? null : 'supplier_address');
  if (lack !== null) throw notSendable(`the invoice lacks ${lackSentences[lack]}`);
  if (invoice.number.trim() === '') throw notSendable('the invoice has no number (BT-1)');
  if (messageId === '' || messageId.length > 50) throw notSendable('the message has no id of at most 50 characters');
  const moments = [message.at, message.saidAt, ...(receivedAt === null ? [] : [receivedAt])];
  if (!moments.every((one) => Number.isFinite(one.getTime())) || !/^\d{4}-\d{2}-\d{2}$/.test(invoice.issueDate)) {
    throw notSendable('a date is missing');
  }
}

export function notSendable(why: string): ProviderError {
  return new ProviderError('refused', `not sendable: ${why}`, { code: 'not_sendable' });
}

function exchanged({ invoice, status, sellerAddress, messageId, at }: Message): string {
  return element('rsm:ExchangedDocument', [
    element('ram:ID', messageId),
    element('ram:Name', statusRule(status).label),
    moment('ram:IssueDateTime', at),
    // The platform that sends it, by its role alone: a sender with a SIREN makes validators refuse every 210.
    element('ram:SenderTradeParty', [element('ram:RoleCode', 'WK')]),
    element('ram:IssuerTradeParty', party({ ...nobody, ...invoice.buyer, role: 'BY' })),
    element('ram:RecipientTradeParty', [
      ...party({ ...invoice.supplier, role: 'SE' }),
      ...electronicAddress(sellerAddress),
    ]),
  ]);
}

const nobody = { name: null, siren: null };

function acknowledgement(message: Message): string {
  const { invoice, status, typeCode, receivedAt, saidAt } = message;
  const { code, processing, label } = statusRule(status);
  const issued = `<qdt:DateTimeString format="102">${digitsOf(invoice.issueDate)}</qdt:DateTimeString>`;
  return element('rsm:AcknowledgementDocument', [
    element('ram:MultipleReferencesIndicator', [element('udt:Indicator', 'false')]),
    // 23: the processing phase, after transmission.
    element('ram:TypeCode', '23'),
    moment('ram:IssueDateTime', saidAt),
    element('ram:ReferenceReferencedDocument', [
      element('ram:IssuerAssignedID', invoice.number),
      element('ram:StatusCode', processing),
      element('ram:TypeCode', typeCodeOf(invoice, typeCode)),
      ...(receivedAt === null ? [] : [moment('ram:ReceiptDateTime', receivedAt)]),
      element('ram:ReferenceTypeCode', 'urn.cpro.gouv.fr:1p0:CDV:einvoicingF2'),
      element('ram:FormattedIssueDateTime', [issued]),
      element('ram:ProcessConditionCode', code),
      element('ram:ProcessCondition', label),
      element('ram:IssuerTradeParty', party({ ...invoice.supplier, role: 'SE' })),
      ...documentStatus(message),
    ]),
  ]);
}

/** One detail, numbered; none if the status says nothing besides itself. */
function documentStatus({ invoice, status, details, note }: Message): string[] {
  const { reason, note: said } = details;
  const words = said ?? note;
  const values = characteristics(invoice, status, details);
  if (reason === null && words === null && values.length === 0) return [];
  return [
    element('ram:SpecifiedDocumentStatus', [
      ...(reason === null ? [] : [element('ram:ReasonCode', reasonCodes[reason])]),
      ...(reason === null || said === null ? [] : [element('ram:Reason', said)]),
      ...requestedAction(status, details),
      element('ram:SequenceNumeric', '1'),
      ...(words === null ? [] : [element('ram:IncludedNote', [element('ram:Content', words)])]),
      ...values,
    ]),
  ];
}

/** A suspension asks for what its note names; a refusal asks for nothing, a credit note least of all. */
function requestedAction(status: InvoiceStatus, { action, note }: StatusDetails): string[] {
  if (status === 'refused') return [element('ram:RequestedActionCode', actionCodes.none)];
  const asked = status === 'suspended' ? 'information' : action;
  if (asked === null) return [];
  const words = status === 'suspended' && note !== null ? [element('ram:RequestedAction', note)] : [];
  return [element('ram:RequestedActionCode', actionCodes[asked]), ...words];
}

/** Amounts (MDT-207): approved and not approved, both without VAT; or paid, with VAT and on which day. */
function characteristics(invoice: CanonicalInvoice, status: InvoiceStatus, { amount, date }: StatusDetails): string[] {
  if (amount === null) return [];
  const { currency, amounts } = invoice;
  const valued = (type: string, value: number, day: string | null = null) =>
    element('ram:SpecifiedDocumentCharacteristic', [
      element('ram:TypeCode', type),
      `<ram:ValueAmount currencyID="${escaped(currency)}">${value.toFixed(2)}</ram:ValueAmount>`,
      ...(day === null
        ? []
        : [element('ram:ValueDateTime', [`<udt:DateTimeString format="102">${digitsOf(day)}</udt:DateTimeString>`])]),
    ]);
  if (status === 'payment_sent') return [valued('MPA', amount, date)];
  return [valued('MAP', amount), valued('MNA', amounts.ht - amount)];
}

function digitsOf(day: string): string {
  return day.replaceAll('-', '');
}

/** Scheme 0002 is the SIREN (ISO 6523). */
function party({ name, siren, role }: { name: string | null; siren: string | null; role: 'BY' | 'SE' }): string[] {
  return [
    ...(siren === null ? [] : [`<ram:GlobalID schemeID="0002">${escaped(siren)}</ram:GlobalID>`]),
    ...(name === null ? [] : [element('ram:Name', name)]),
    element('ram:RoleCode', role),
  ];
}

/** The electronic address: mandatory for a recipient that is no platform (MDT-73, rule BR-FR-CDV-08). */
function electronicAddress(address: Identifier | null): string[] {
  if (address === null) return [];
  const scheme = address.scheme === null ? '' : ` schemeID="${escaped(address.scheme)}"`;
  return [element('ram:URIUniversalCommunication', [`<ram:URIID${scheme}>${escaped(address.value)}</ram:URIID>`])];
}

/** Format 204 of UNTDID 2379: year to second, in UTC. */
function moment(name: string, at: Date): string {
  const digits = at.toISOString().replace(/\D/g, '').slice(0, 14);
  return element(name, [`<udt:DateTimeString format="204">${digits}</udt:DateTimeString>`]);
}

/** An element with text, which is escaped, or with child elements. */
function element(name: string, content: string | string[]): string {
  return `<${name}>${typeof content === 'string' ? escaped(content) : content.join('')}</${name}>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Drops control characters: XML 1.0 does not allow them, not even escaped. */
function escaped(value: string): string {
  const allowed = value.toWellFormed().replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
  return allowed.replace(/[&<>"]/g, (mark) => entities[mark] as string);
}
