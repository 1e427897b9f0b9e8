import { invoiceLimits, type ReportedStatus } from '@app/contracts';
import { refused } from './errors.ts';
import { decodeXml } from './xml/xml-text.ts';
import { all, first, parseXml, textAt, texts, type XmlElement } from './xml/xml-tree.ts';

const namespace = 'urn:un:unece:uncefact:data:standard:CrossDomainAcknowledgementAndResponse:100';
const maxReferences = 50;
const maxReasons = 20;
const maxTextLength = 1_000;

/**
 * The statuses that a life-cycle message of the French reform (XP Z12-012: CDAR D22B) reports. A reference without a number, a date or a
 * status is left out. As costly as an e-invoice: call it in a worker process.
 * @throws AppError invalid `document_refused` for what is no such message
 */
export function readLifeCycle(bytes: Buffer): ReportedStatus[] {
  const root = parseXml(decodeXml(bytes));
  if (root.name !== 'CrossDomainAcknowledgementAndResponse' || root.namespace !== namespace) {
    throw refused(`the root element ${root.name.slice(0, 80)} is no life-cycle message (CDAR D22B)`);
  }
  const references = all(root, 'AcknowledgementDocument').flatMap((document) => {
    const at = timeOf(document) ?? timeOf(first(root, 'ExchangedDocument'));
    return all(document, 'ReferenceReferencedDocument').map((reference) => ({ reference, at }));
  });
  return references.slice(0, maxReferences).flatMap(({ reference, at }) => statusOf(reference, at));
}

function statusOf(reference: XmlElement, at: string | null): ReportedStatus[] {
  const number = textAt(reference, 'IssuerAssignedID');
  const status = textAt(reference, 'ProcessConditionCode');
  const issueDate = dayOf(textAt(reference, 'FormattedIssueDateTime/DateTimeString'));
  if (number === null || number.length > invoiceLimits.referenceLength || at === null) return [];
  if (status === null || !/^\d{3}$/.test(status) || issueDate === null) return [];
  const reasons = all(reference, 'SpecifiedDocumentStatus').slice(0, maxReasons).map(reasonOf);
  return [
    {
      number,
      issue_date: issueDate,
      supplier_siren: sirenOf(first(reference, 'IssuerTradeParty')),
      status,
      reasons,
      at,
    },
  ];
}

function reasonOf(detail: XmlElement): ReportedStatus['reasons'][number] {
  const words = [...texts(detail, 'Reason'), ...texts(detail, 'IncludedNote/Content')].join('; ');
  const code = textAt(detail, 'ReasonCode');
  return { code: code?.slice(0, maxTextLength) ?? null, text: words === '' ? null : words.slice(0, maxTextLength) };
}

/** Schemes 0002 and 0009 are SIREN and SIRET (ISO 6523). */
function sirenOf(party: XmlElement | undefined): string | null {
  const identifiers = all(party, 'GlobalID').map(({ text, attributes }) => `${attributes.get('schemeID')}:${text}`);
  return (
    identifiers
      .map((one) => /^(?:0002:(\d{9})|0009:(\d{9})\d{5})$/.exec(one))
      .map((found) => found?.[1] ?? found?.[2])
      .find(Boolean) ?? null
  );
}

/** Format 204 of UNTDID 2379 says no zone: it is read as UTC. */
function timeOf(document: XmlElement | undefined): string | null {
  const written = textAt(document, 'IssueDateTime/DateTimeString');
  const parts = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(written ?? '')?.slice(1);
  if (!parts) return null;
  const [year, month, day, hour, minute, second] = parts;
  return isoOrNull(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function dayOf(written: string | null): string | null {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})/.exec(written ?? '') ?? [];
  return isoOrNull(`${year}-${month}-${day}T00:00:00Z`)?.slice(0, 10) ?? null;
}

function isoOrNull(text: string): string | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
