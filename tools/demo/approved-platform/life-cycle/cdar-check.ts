import type { Detail, InvoiceFacts, StoredFlow } from '../flow.ts';
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
import { all, type Element, parseXml, textAt } from './xml.ts';

/** What a message is about. */
export type Subject = { id: string | null; number: string | null; status: string | null; reason: string | null };

type Test = (text: string, element: Element) => boolean;
type Add = (reasonCode: string, item: string, reasonMessage: string, level?: Detail['level']) => void;

const context = 'ExchangedDocumentContext';
const exchanged = 'ExchangedDocument';
const acknowledgement = 'AcknowledgementDocument';
const reference = `${acknowledgement}/ReferenceReferencedDocument`;
const detail = `${reference}/SpecifiedDocumentStatus`;
const seller = `${reference}/IssuerTradeParty`;

const is =
  (value: string): Test =>
  (text) =>
    text === value;
const isOneOf =
  (values: readonly string[]): Test =>
  (text) =>
    values.includes(text);
/** A date in this format of UNTDID 2379. */
const isDate =
  (format: string, digits: number): Test =>
  (text, { attributes }) =>
    attributes['format'] === format && new RegExp(`^\\d{${digits}}$`).test(text);
const isSiren: Test = (text, { attributes }) => attributes['schemeID'] === '0002' && /^\d{9}$/.test(text);

/** Parts that every message of a buyer has, with the term of XP Z12-012, and what their text must be. */
const required: [item: string, path: string, isGood: Test][] = [
  ['MDT-2', `${context}/BusinessProcessSpecifiedDocumentContextParameter/ID`, is('REGULATED')],
  ['MDT-3', `${context}/GuidelineSpecifiedDocumentContextParameter/ID`, is(guideline)],
  ['MDT-4', `${exchanged}/ID`, (text) => text.length <= 50],
  ['MDT-8', `${exchanged}/IssueDateTime/DateTimeString`, isDate('204', 14)],
  ['MDT-21', `${exchanged}/SenderTradeParty/RoleCode`, isOneOf([...roles, ...platformRoles])],
  ['MDT-38', `${exchanged}/IssuerTradeParty/GlobalID`, isSiren],
  ['MDT-40', `${exchanged}/IssuerTradeParty/RoleCode`, isOneOf(roles)],
  ['BR-FR-CDV-CL-04', `${exchanged}/RecipientTradeParty/RoleCode`, isOneOf([...roles, ...platformRoles])],
  ['BR-FR-CDV-09', `${acknowledgement}/TypeCode`, is('23')],
  ['MDT-78', `${acknowledgement}/IssueDateTime/DateTimeString`, isDate('204', 14)],
  ['MDT-87', `${reference}/IssuerAssignedID`, () => true],
  ['MDT-91', `${reference}/TypeCode`, isOneOf(invoiceTypes)],
  ['MDT-97', `${reference}/ReferenceTypeCode`, is(referenceType)],
  ['MDT-100', `${reference}/FormattedIssueDateTime/DateTimeString`, isDate('102', 8)],
  ['MDT-129', `${seller}/GlobalID`, isSiren],
  ['BR-FR-CDV-CL-07', `${seller}/RoleCode`, is('SE')],
];

/** Null if the document is no life-cycle message (CDAR). */
export function subjectOf(document: string): Subject | null {
  const cdar = parseXml(document);
  if (cdar?.name !== 'CrossDomainAcknowledgementAndResponse') return null;
  return {
    id: textAt(cdar, `${exchanged}/ID`),
    number: textAt(cdar, `${reference}/IssuerAssignedID`),
    status: textAt(cdar, `${reference}/ProcessConditionCode`),
    reason: textAt(cdar, `${detail}/ReasonCode`),
  };
}

/**
 * What an approved platform finds wrong with a buyer's life-cycle message, `item` being the term or rule of XP Z12-012.
 * @param sent what it took from the organisation before
 */
export function cdarFaults(document: string, flows: readonly StoredFlow[], sent: readonly Subject[]): Detail[] {
  const details: Detail[] = [];
  const add: Add = (reasonCode, item, reasonMessage, level = 'Error') =>
    details.push({ level, item, reasonCode, reasonMessage });
  const subject = subjectOf(document);
  const cdar = parseXml(document);
  if (subject === null || cdar === null) {
    add('InvalidSchema', 'file', 'the file is no CDAR message');
    return details;
  }
  for (const [item, path, isGood] of required) {
    const elements = all(cdar, path);
    const [wrong] = elements.filter((element) => element.text.trim() === '' || !isGood(element.text, element));
    if (elements.length === 0) add('InvoiceLCRuleError', item, `${path} is absent`);
    else if (wrong) add('InvoiceLCRuleError', item, `${path} can't be ${wrong.text.slice(0, 50)}`);
  }
  checkParties(cdar, subject, add);
  checkStatus(cdar, subject, add);
  if (sent.some(({ id }) => id === subject.id)) add('AlreadyExistingFlow', 'MDT-4', 'this message was received');
  const ends = [...sent.filter(({ status }) => status === '210'), ...flows.flatMap(endOf)];
  const end = ends.find(({ number }) => number === subject.number);
  if (end) add('InvoiceLCInvalidStatus', 'MDT-105', `no status follows ${end.status}`);
  checkInvoice(cdar, subject, { flows, add });
  return details;
}

function checkParties(cdar: Element, { status }: Subject, add: Add): void {
  for (const recipient of all(cdar, `${exchanged}/RecipientTradeParty`)) {
    const [address] = all(recipient, 'URIUniversalCommunication/URIID');
    const isWhole = address !== undefined && address.text.trim() !== '' && address.attributes['schemeID'];
    if (!isWhole && !platformRoles.includes(textAt(recipient, 'RoleCode') ?? '')) {
      add('InvoiceLCRuleError', 'MDT-73', 'a recipient that is no platform has an address with its scheme');
    }
  }
  // The rule for public buyers takes every sender with an id for one of them.
  const ids = all(cdar, `${exchanged}/SenderTradeParty/GlobalID`);
  if (status === '210' && ids.length > 0 && !ids.some(({ attributes }) => attributes['schemeID'] === '0238')) {
    add('InvoiceLCRuleError', 'BR-FR-CDV-CL-09', 'reasons of 210B2G: the sender has an id, and none of scheme 0238');
  }
}

function checkStatus(cdar: Element, { status }: Subject, add: Add): void {
  const known = statuses[status ?? ''];
  if (!known) add('InvoiceLCStatusError', 'MDT-105', `there is no status ${status}`);
  if (known?.by !== 'BY') {
    if (known) add('InvoiceLCAccessDenied', 'MDT-105', `a buyer does not set ${status}`);
    return;
  }
  const rule = (item: string, isMet: boolean, message: string) => isMet || add('InvoiceLCRuleError', item, message);
  const code = textAt(cdar, `${reference}/StatusCode`);
  if (code === null) add('InvoiceLCRuleError', 'MDT-88', 'the code of the status is absent', 'Warning');
  else if (code !== known.code) add('InvoiceLCStatusError', 'MDT-88', `of ${status} the code is ${known.code}`);
  const details = all(cdar, detail);
  const allowed = reasons[status as string];
  rule('MDT-113', !allowed || details.length > 0, `${status} needs a reason`);
  rule('MDT-126', status !== '210' || textAt(cdar, `${detail}/IncludedNote/Content`) !== null, '210 needs a note');
  for (const one of details) {
    const [reason, action] = [textAt(one, 'ReasonCode'), textAt(one, 'RequestedActionCode')];
    rule('MDT-113', !allowed || allowed.includes(reason ?? ''), `${reason} is no reason of ${status}`);
    rule('MDT-121', action === null || actions.includes(action), `there is no action ${action}`);
    rule('MDT-124-2', textAt(one, 'SequenceNumeric') !== null, 'each detail has its sequence');
    for (const { type, amount } of all(one, 'SpecifiedDocumentCharacteristic').map(characteristicOf)) {
      rule('MDT-207', characteristics.includes(type), `there is no characteristic ${type}`);
      const isAmount = amount === null ? type !== 'MPA' : /^-?\d+(\.\d+)?$/.test(amount);
      if (!isAmount) add('InvoiceLCAmountError', 'MDT-215', `${type} has no amount`);
    }
  }
}

function characteristicOf(element: Element) {
  return { type: textAt(element, 'TypeCode') ?? '', amount: textAt(element, 'ValueAmount') };
}

/** The message must repeat the invoice that it names; one that the fake could not read may be any. */
function checkInvoice(
  cdar: Element,
  { number }: Subject,
  { flows, add }: { flows: readonly StoredFlow[]; add: Add },
): void {
  const invoices = flows.filter(({ flow }) => flow.flowType === 'SupplierInvoice' && flow.flowDirection === 'In');
  const named = invoices.flatMap(({ facts }) => (facts?.number === number && facts !== null ? [facts] : []));
  const sellerId = textAt(cdar, `${seller}/GlobalID`);
  const [facts] = named.length > 1 ? named.filter((one) => one.seller === sellerId) : named;
  if (facts) compare(cdar, facts, add);
  else if (invoices.every((one) => one.facts !== null)) {
    add('InvoiceLCRuleError', 'MDT-87', 'the organisation has no invoice of this number and seller');
  }
}

function compare(cdar: Element, facts: InvoiceFacts, add: Add): void {
  const differs = (path: string, value: string | null) => value !== null && textAt(cdar, path) !== value;
  const date = facts.issueDate.replaceAll('-', '');
  const rule = (item: string, what: string) => add('InvoiceLCRuleError', item, `the invoice has another ${what}`);
  if (differs(`${reference}/FormattedIssueDateTime/DateTimeString`, date)) rule('MDT-100', 'date');
  if (differs(`${reference}/TypeCode`, facts.typeCode)) rule('MDT-91', 'type');
  if (differs(`${seller}/GlobalID`, facts.seller)) rule('MDT-129', 'seller');
  if (differs(`${exchanged}/IssuerTradeParty/GlobalID`, facts.buyer)) {
    add('InvoiceLCAccessDenied', 'MDT-38', 'the invoice is to another buyer');
  }
}

/** What a seller or a platform ended an invoice by. A rejected duplicate leaves the first delivery as it is. */
function endOf({ flow, documents }: StoredFlow): Subject[] {
  if (flow.flowSyntax !== 'CDAR' || flow.flowDirection !== 'In') return [];
  const subject = subjectOf(documents.Original?.bytes.toString('utf8') ?? '');
  const isEnd = subject?.status === '220' || (subject?.status === '213' && subject.reason !== 'DOUBLON');
  return subject !== null && isEnd ? [subject] : [];
}
