import { all, type Element, parseXml, textAt } from './xml.ts';

export type Party = { ids: { scheme: string; value: string }[]; role: string | null; address: string | null };

export type Characteristic = { typeCode: string | null; amount: string | null; percent: string | null };

/** One MDG-37 of a message. */
export type StatusDetail = {
  reason: string | null;
  action: string | null;
  sequence: string | null;
  notes: string[];
  characteristics: Characteristic[];
};

/** A life-cycle message (CDAR D22B) about one invoice; what is absent is null. `issueDate` is as it is written, format 102. */
export type Cdar = {
  businessProcess: string | null;
  guideline: string | null;
  id: string | null;
  issuedAt: string | null;
  sender: Party | null;
  issuer: Party | null;
  recipients: Party[];
  typeCode: string | null;
  statusAt: string | null;
  references: number;
  number: string | null;
  statusCode: string | null;
  invoiceType: string | null;
  referenceType: string | null;
  issueDate: string | null;
  status: string | null;
  seller: Party | null;
  details: StatusDetail[];
};

/** Null if it is no such message. */
export function readCdar(document: string): Cdar | null {
  const root = parseXml(document);
  if (root?.name !== 'CrossDomainAcknowledgementAndResponse') return null;
  const at = (path: string) => textAt(root, path);
  const context = 'ExchangedDocumentContext';
  const references = all(root, 'AcknowledgementDocument/ReferenceReferencedDocument');
  const [reference] = references;
  return {
    businessProcess: at(`${context}/BusinessProcessSpecifiedDocumentContextParameter/ID`),
    guideline: at(`${context}/GuidelineSpecifiedDocumentContextParameter/ID`),
    id: at('ExchangedDocument/ID'),
    issuedAt: dateAt(root, 'ExchangedDocument/IssueDateTime', '204'),
    sender: partyAt(root, 'ExchangedDocument/SenderTradeParty'),
    issuer: partyAt(root, 'ExchangedDocument/IssuerTradeParty'),
    recipients: all(root, 'ExchangedDocument/RecipientTradeParty').map(partyOf),
    typeCode: at('AcknowledgementDocument/TypeCode'),
    statusAt: dateAt(root, 'AcknowledgementDocument/IssueDateTime', '204'),
    references: references.length,
    number: textAt(reference, 'IssuerAssignedID'),
    statusCode: textAt(reference, 'StatusCode'),
    invoiceType: textAt(reference, 'TypeCode'),
    referenceType: textAt(reference, 'ReferenceTypeCode'),
    issueDate: dateAt(reference, 'FormattedIssueDateTime', '102'),
    status: textAt(reference, 'ProcessConditionCode'),
    seller: partyAt(reference, 'IssuerTradeParty'),
    details: all(reference, 'SpecifiedDocumentStatus').map(detailOf),
  };
}

function partyAt(element: Element | undefined, path: string): Party | null {
  const [party] = all(element, path);
  return party ? partyOf(party) : null;
}

function partyOf(party: Element): Party {
  const ids = all(party, 'GlobalID').map(({ attributes, text }) => ({
    scheme: attributes['schemeID'] ?? '',
    value: text,
  }));
  const [address] = all(party, 'URIUniversalCommunication/URIID');
  const isWhole = address && address.text.trim() !== '' && address.attributes['schemeID'];
  return { ids, role: textAt(party, 'RoleCode'), address: isWhole ? `${isWhole}:${address.text}` : null };
}

function detailOf(detail: Element): StatusDetail {
  return {
    reason: textAt(detail, 'ReasonCode'),
    action: textAt(detail, 'RequestedActionCode'),
    sequence: textAt(detail, 'SequenceNumeric'),
    notes: all(detail, 'IncludedNote/Content').map(({ text }) => text),
    characteristics: all(detail, 'SpecifiedDocumentCharacteristic').map((one) => ({
      typeCode: textAt(one, 'TypeCode'),
      amount: textAt(one, 'ValueAmount'),
      percent: textAt(one, 'ValuePercent'),
    })),
  };
}

/** The digits of a date in this format of UNTDID 2379; null if it has another one. */
function dateAt(element: Element | undefined, path: string, format: '102' | '204'): string | null {
  const [date] = all(element, `${path}/DateTimeString`);
  const digits = { '102': /^\d{8}$/, '204': /^\d{14}$/ }[format];
  return date?.attributes['format'] === format && digits.test(date.text) ? date.text : null;
}
