import type { CanonicalInvoice } from '@app/contracts';
import type { Identifier } from '@app/einvoice';

/**
 * `typeCode` and `sellerAddress` are the invoice's BT-3 and BT-34. `messageId` has at most 50 characters. `at` is the time of the
 * status, `receivedAt` that of the invoice's arrival.
 */
type Message = {
  invoice: CanonicalInvoice;
  typeCode: string | null;
  sellerAddress: Identifier | null;
  ticketNumber: string;
  messageId: string;
  receivedAt: Date | null;
  at: Date;
};

const namespaces = {
  rsm: 'urn:un:unece:uncefact:data:standard:CrossDomainAcknowledgementAndResponse:100',
  ram: 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  qdt: 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
  udt: 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
};
const label = 'Prise en charge';
/** UNTDID 1001, for an invoice without a type code. */
const typeCodes: Record<CanonicalInvoice['kind'], string> = { invoice: '380', credit_note: '381', corrective: '384' };

/**
 * The life-cycle message "204 Prise en charge" of a buyer about an invoice it received: CDAR D22B in the profile of the French
 * reform (XP Z12-012), elements in the order of the schema. The ticket's number is a note.
 */
export function takenInCharge(message: Message): string {
  const declared = Object.entries(namespaces).map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`);
  const context = element('rsm:ExchangedDocumentContext', [
    element('ram:BusinessProcessSpecifiedDocumentContextParameter', [element('ram:ID', 'REGULATED')]),
    element('ram:GuidelineSpecifiedDocumentContextParameter', [element('ram:ID', 'urn.cpro.gouv.fr:1p0:CDV:invoice')]),
  ]);
  const root = 'rsm:CrossDomainAcknowledgementAndResponse';
  const content = `${context}${exchanged(message)}${acknowledgement(message)}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${declared.join('')}>${content}</${root}>\n`;
}

function exchanged({ invoice, sellerAddress, messageId, at }: Message): string {
  const buyer = party({ name: invoice.buyer?.name ?? null, siren: invoice.buyer?.siren ?? null, role: 'BY' });
  return element('rsm:ExchangedDocument', [
    element('ram:ID', messageId),
    element('ram:Name', label),
    moment('ram:IssueDateTime', at),
    element('ram:SenderTradeParty', buyer),
    element('ram:IssuerTradeParty', buyer),
    element('ram:RecipientTradeParty', [
      ...party({ ...invoice.supplier, role: 'SE' }),
      ...electronicAddress(sellerAddress),
    ]),
  ]);
}

function acknowledgement({ invoice, typeCode, ticketNumber, receivedAt, at }: Message): string {
  const issued = `<qdt:DateTimeString format="102">${invoice.issueDate.replaceAll('-', '')}</qdt:DateTimeString>`;
  return element('rsm:AcknowledgementDocument', [
    element('ram:MultipleReferencesIndicator', [element('udt:Indicator', 'false')]),
    // 23: the processing phase, after transmission.
    element('ram:TypeCode', '23'),
    moment('ram:IssueDateTime', at),
    element('ram:ReferenceReferencedDocument', [
      element('ram:IssuerAssignedID', invoice.number),
      element('ram:TypeCode', typeCode ?? typeCodes[invoice.kind]),
      ...(receivedAt === null ? [] : [moment('ram:ReceiptDateTime', receivedAt)]),
      element('ram:FormattedIssueDateTime', [issued]),
      element('ram:ProcessConditionCode', '204'),
      element('ram:ProcessCondition', label),
      element('ram:IssuerTradeParty', party({ ...invoice.supplier, role: 'SE' })),
      element('ram:SpecifiedDocumentStatus', [
        element('ram:SequenceNumeric', '1'),
        element('ram:IncludedNote', [element('ram:Content', `Ticket ${ticketNumber}`)]),
      ]),
    ]),
  ]);
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
