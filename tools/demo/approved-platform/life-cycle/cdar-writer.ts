import { element as tag, text } from '../../invoices/xml.ts';
import type { InvoiceFacts } from '../flow.ts';
import { guideline, referenceType, statuses } from './cdar-rules.ts';

/** A status that reaches the buyer. `amounts` are by MDT-207, with the VAT rate of 212 in percent. */
export type LifeCycle = {
  status: string;
  reason?: string | null;
  note?: string | null;
  amounts?: { typeCode: string; amount: string; percent?: string }[];
};

const uncefact = 'urn:un:unece:uncefact:data:standard';
const spaces = ` xmlns:rsm="${uncefact}:CrossDomainAcknowledgementAndResponse:100" xmlns:ram="${uncefact}:ReusableAggregateBusinessInformationEntity:100" xmlns:qdt="${uncefact}:QualifiedDataType:100" xmlns:udt="${uncefact}:UnqualifiedDataType:100"`;

/** The life-cycle message of a seller or of a platform about an invoice, elements in the order of the schema. */
export function writeCdar(lifeCycle: LifeCycle, facts: InvoiceFacts, { id, at }: { id: string; at: Date }): string {
  const { label = lifeCycle.status, by = 'WK', code = null } = statuses[lifeCycle.status] ?? {};
  const now = tag('udt:DateTimeString', at.toISOString().replace(/\D/g, '').slice(0, 14), ' format="204"');
  const buyer = party('BY', facts.buyer);
  const buyerAddress = tag('ram:URIID', text(facts.buyer), ' schemeID="0225"');
  const context = [
    tag('ram:BusinessProcessSpecifiedDocumentContextParameter', tag('ram:ID', 'REGULATED')),
    tag('ram:GuidelineSpecifiedDocumentContextParameter', tag('ram:ID', guideline)),
  ];
  const exchanged = [
    tag('ram:ID', text(id)),
    tag('ram:Name', text(label)),
    tag('ram:IssueDateTime', now),
    tag('ram:SenderTradeParty', party('WK', null)),
    tag('ram:IssuerTradeParty', by === 'SE' ? party('SE', facts.seller) : party('WK', null)),
    tag('ram:RecipientTradeParty', buyer + tag('ram:URIUniversalCommunication', buyerAddress)),
  ];
  const reference = [
    tag('ram:IssuerAssignedID', text(facts.number)),
    tag('ram:StatusCode', code),
    tag('ram:TypeCode', text(facts.typeCode)),
    tag('ram:ReferenceTypeCode', referenceType),
    tag('ram:FormattedIssueDateTime', tag('qdt:DateTimeString', facts.issueDate.replaceAll('-', ''), ' format="102"')),
    tag('ram:ProcessConditionCode', text(lifeCycle.status)),
    tag('ram:ProcessCondition', text(label)),
    tag('ram:IssuerTradeParty', party('SE', facts.seller)),
    detail(lifeCycle),
  ];
  const acknowledgement = [
    tag('ram:MultipleReferencesIndicator', tag('udt:Indicator', 'false')),
    // 305: transmission, of which platforms tell; 23: processing.
    tag('ram:TypeCode', by === 'WK' ? '305' : '23'),
    tag('ram:IssueDateTime', now),
    tag('ram:ReferenceReferencedDocument', reference.join('')),
  ];
  const parts = [
    tag('rsm:ExchangedDocumentContext', context.join('')),
    tag('rsm:ExchangedDocument', exchanged.join('')),
    tag('rsm:AcknowledgementDocument', acknowledgement.join('')),
  ];
  const root = tag('rsm:CrossDomainAcknowledgementAndResponse', parts.join('\n'), spaces);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`;
}

function party(role: string, siren: string | null): string {
  return tag('ram:GlobalID', text(siren), ' schemeID="0002"') + tag('ram:RoleCode', role);
}

function detail({ reason = null, note = null, amounts = [] }: LifeCycle): string {
  const of = ({ typeCode, amount, percent }: NonNullable<LifeCycle['amounts']>[number]) =>
    tag(
      'ram:SpecifiedDocumentCharacteristic',
      tag('ram:TypeCode', text(typeCode)) +
        tag('ram:ValueAmount', text(amount), ' currencyID="EUR"') +
        tag('ram:ValuePercent', text(percent ?? null)),
    );
  if (reason === null && note === null && amounts.length === 0) return '';
  const parts = [
    tag('ram:ReasonCode', text(reason)),
    tag('ram:SequenceNumeric', '1'),
    tag('ram:IncludedNote', tag('ram:Content', text(note))),
    ...amounts.map(of),
  ];
  return tag('ram:SpecifiedDocumentStatus', parts.join(''));
}
