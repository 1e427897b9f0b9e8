import { noDetails } from '@app/contracts';
import { AppError, decodePosition, readAccounts, sirenOf, ValidationError } from '@app/kernel';
import {
  candidateLookup,
  decide,
  duplicateKey,
  isSameNumber,
  numberKey,
  observedPatterns,
  precedingNumbers,
  type ReferencePattern,
  supplierNumbers,
} from '@app/matching';
import { ProviderError } from '@app/providers';
import { createAddressPolicy } from '@app/runtime/ssrf-guard';
import { createUrlSigner } from '@app/storage';
import { parseDecimal } from '../../libs/einvoice/decimal.ts';
import { readLifeCycle } from '../../libs/einvoice/life-cycle.ts';
import { readValue } from '../../libs/einvoice/pdf/pdf-syntax.ts';
import { readEInvoice } from '../../libs/einvoice/read-einvoice.ts';
import { cleanReferences, ticketNamedIn } from '../../libs/einvoice/references.ts';
import { addressBlock } from '../../libs/http/callers/client-address.ts';
import { findOtherPlace, invoicePlaces, placeKeys } from '../../libs/matching/references/location-mentions.ts';
import { referenceMentions } from '../../libs/matching/references/reference-mentions.ts';
import {
  allowsFuzzyMatch,
  differsInDigit,
  formsOf,
  isOneEditApart,
  referenceKeys,
} from '../../libs/matching/references/references.ts';
import { readByPattern, trailingDigits } from '../../libs/matching/references/supplier-reference-patterns.ts';
import { candidate, invoice, known, order, place, ticket } from '../../libs/matching/test/sample.ts';
import { lifeCycleMessage } from '../../libs/providers/afnor/cdar.ts';
import { fileNameIn, responseError } from '../../libs/providers/http/response.ts';
import { companyNumbers, decimal } from '../../libs/providers/parsing/fields.ts';
import { latest, text as textIn } from '../../libs/providers/parsing/json.ts';
import { normalizePennylane } from '../../libs/providers/pennylane/mapping.ts';
import { providerOf } from '../../libs/providers/registry.ts';
import { normalizeSandbox } from '../../libs/providers/sandbox/mapping.ts';
import { verifySignature } from '../../libs/providers/signature.ts';
import { parseByteRange } from '../../libs/storage/downloads/byte-range.ts';
import { attachment, cleanFileName } from '../../libs/storage/file-name.ts';
import { payloadType } from '../../services/connection/jobs/payload-type.ts';
import { parseProviderWebhook } from '../../services/connection/webhooks/provider-webhook.ts';
import { credentialOf } from '../../services/gateway/auth/credential-cache.ts';
import { originAllowed } from '../../services/gateway/auth/origin.ts';
import { bodyOf } from '../../services/gateway/limits/body-limit.ts';
import { clientAddress } from '../../services/gateway/limits/client-address.ts';
import { requestHeaders, responseHeaders } from '../../services/gateway/proxy/headers.ts';
import { pathOf, routeFinder, routes } from '../../services/gateway/routing/routes.ts';
import { createReplyAddresses } from '../../services/identity/mail/inbound/reply-address.ts';
import { replyText } from '../../services/identity/mail/inbound/reply-text.ts';
import { isMaterialChange } from '../../services/invoice-reconciliation/intake/refetch.ts';
import { invoiceList } from '../../services/invoice-reconciliation/invoices/invoice-list.ts';
import { readCsv } from '../../services/ticket/imports/csv.ts';
import { plainText } from '../../services/ticket/notes/mention.ts';

/** Every parser of input from outside. Its result, or error, does not matter here. */
export type Parser = (text: string) => unknown;

const cdar = 'urn:un:unece:uncefact:data:standard:CrossDomainAcknowledgementAndResponse:100';
const cdarOf = (text: string) =>
  `<CrossDomainAcknowledgementAndResponse xmlns="${cdar}"><AcknowledgementDocument><IssueDateTime><DateTimeString>20261120143109</DateTimeString></IssueDateTime><ReferenceReferencedDocument><IssuerAssignedID>${text}</IssuerAssignedID><ProcessConditionCode>212</ProcessConditionCode><FormattedIssueDateTime><DateTimeString>${text}</DateTimeString></FormattedIssueDateTime><IssuerTradeParty><GlobalID schemeID="0002">${text}</GlobalID></IssuerTradeParty></ReferenceReferencedDocument></AcknowledgementDocument></CrossDomainAcknowledgementAndResponse>`;
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const now = new Date('2026-11-22T10:00:00Z');
const secret = Buffer.alloc(32, 7);
const links = createUrlSigner({ keys: [{ id: 'k1', secret }], baseUrl: 'https://files.example' });
const replyAddresses = createReplyAddresses({ keys: [{ secret }], domain: 'reply.example' });
const policy = createAddressPolicy();
const routeOf = routeFinder(routes);
const purchase = order('BC-2026-0042', 1000);
const candidates = [
  candidate(ticket('1', { number: 'T-001', maintenance: 'A0' }), { purchases: [purchase], locations: [place()] }),
];
const patterns: ReferencePattern[] = [{ field: 'order', prefix: 'BC', kind: 'order' }];
const mention = (text: string) => ({ text, field: 'order' as const, spans: [] });

/** An invoice with this text in every field. */
function saying(text: string) {
  const supplier = { externalId: text, name: text, siret: text, siren: text, vatNumber: text, accounts: [text] };
  const line = { label: text, qty: null, unitPrice: null, ht: null, vatRate: null };
  return invoice(text, {
    number: text,
    supplier,
    lines: [line],
    references: [
      { kind: 'order', value: `${text} ` },
      { kind: 'buyer_reference', value: text },
      { kind: 'preceding_invoice', value: text },
    ],
    notes: [text],
    places: [text],
  });
}

/** Many references, one per word, instead of one. */
function naming(text: string) {
  const references = text.split(/[\s,;]+/).map((value) => ({ kind: 'order' as const, value }));
  return invoice(null, { references, notes: text.split('.') });
}

const paid = { ht: '1.00', tva: '0.00', ttc: '1.00' };
const sandboxInvoice = { number: 'F1', issue_date: '2026-11-16', currency: 'EUR', amounts: paid };
const pennylaneInvoice = {
  invoice_number: 'F1',
  date: '2026-11-16',
  currency: 'EUR',
  currency_amount: '1',
  currency_tax: '0',
};

export const parsers: Record<string, Parser> = {
  sirenOf: (text) => sirenOf({ siren: text, siret: text, vatNumber: text }),

  'parseDecimal of an e-invoice': (text) => parseDecimal(text, 'here'),
  'cleanReferences of one': (text) => cleanReferences([{ kind: 'order', value: text }]),
  'cleanReferences of many': (text) => cleanReferences(naming(text).references),
  ticketNamedIn: (text) => ticketNamedIn([text]),
  'readValue of a PDF': (text) => readValue(text, 0),
  'readEInvoice of text': (text) => readEInvoice(Buffer.from(text)),
  'readEInvoice of XML': (text) => readEInvoice(Buffer.from(`<?xml version="1.0"?><a b="${text}">${text}</a>`)),
  'readLifeCycle of XML': (text) => readLifeCycle(Buffer.from(cdarOf(text))),
  'readEInvoice of PDF': (text) => readEInvoice(Buffer.from(`%PDF-1.7\n1 0 obj ${text}`)),

  'decimal of a provider': (text) => decimal('amount', text),
  'decimal of a provider, after a point': (text) => decimal('amount', `1.${text}`),
  'companyNumbers of a provider': (text) => companyNumbers({ siren: text, siret: text, vatNumber: text }),
  readAccounts: (text) => readAccounts([text]),
  'text of a provider': textIn,
  'latest of moments': (text) => latest([text, ...text.split(' ')]),
  'fileNameIn of a header': fileNameIn,
  'statusError of an answer': (text) =>
    responseError({ status: 422, headers: {}, data: process.stdin }, json({ message: text, code: text }), ['key']),
  providerOf,
  verifySignature: (text) => verifySignature(secret, text, 'secret', now),
  'normalizeSandbox of numbers': (text) =>
    normalizeSandbox(json({ ...sandboxInvoice, amounts: { ht: text, ttc: text } })),
  'normalizeSandbox of texts': (text) =>
    normalizeSandbox(
      json({
        ...sandboxInvoice,
        supplier: { id: text, name: text, siren: text, siret: text, vat_number: text, iban: text },
        references: { purchase_order: text, ticket: text, contract: text },
        lines: [{ label: text }],
        notes: [text, ...text.split(' ')],
        delivery_address: text,
        status: text,
      }),
    ),
  'normalizeSandbox of lists': (text) =>
    normalizeSandbox(
      json({ ...sandboxInvoice, lines: text.split(' ').map((label) => ({ label })), notes: text.split(' ') }),
    ),
  'normalizePennylane of texts': (text) =>
    normalizePennylane(
      json({
        invoice: { ...pennylaneInvoice, external_reference: text, label: text, payment_status: text },
        lines: [{ label: text, description: text, vat_rate: text }],
        supplier: { id: text, name: text, reg_no: text, vat_number: text, iban: text },
        purchase_requests: text.split(' ').map((number) => ({ number })),
      }),
      null,
    ),
  lifeCycleMessage: (text) =>
    lifeCycleMessage({
      invoice: { ...saying(text), number: `F${text}`, buyer: { name: text, siren: '356000000', siret: null } },
      typeCode: '380',
      sellerAddress: { scheme: text, value: `a${text}` },
      status: 'disputed',
      note: null,
      messageId: 'id',
      details: { ...noDetails, reason: 'quality', note: text },
      receivedAt: null,
      saidAt: now,
      at: now,
    }),

  formsOf,
  referenceKeys,
  allowsFuzzyMatch,
  isOneEditApart: (text) => isOneEditApart(text, `${text}1`),
  differsInDigit: (text) => differsInDigit(text, `${text}1`),
  numberKey,
  isSameNumber: (text) => isSameNumber(text, `${text}-1`),
  trailingDigits: (text) => trailingDigits({ kind: 'order', text, order: null }),
  readByPattern: (text) => readByPattern(patterns, mention(text), text),
  'referenceMentions, one text': (text) => referenceMentions(saying(text)),
  'referenceMentions, many references': (text) => referenceMentions(naming(text)),
  observedPatterns: (text) => observedPatterns(saying(text), candidates[0] as (typeof candidates)[number]),
  'candidateLookup, one text': (text) => candidateLookup(saying(text), known),
  'candidateLookup, many references': (text) => candidateLookup(naming(text), known),
  'decide, one text': (text) => decide({ invoice: saying(text), supplier: known, candidates, patterns }),
  'decide, many references': (text) => decide({ invoice: naming(text), supplier: known, candidates, patterns }),
  'what a ticket is called': (text) => candidate(ticket('1', { number: text, maintenance: text })),
  findOtherPlace: (text) =>
    findOtherPlace([place({ name: text })], invoicePlaces({ ...saying(text), places: [text] }, [place({ id: '2' })])),
  placeKeys: (text) => placeKeys(saying(text)),
  duplicateKey: (text) => duplicateKey(saying(text)),
  precedingNumbers: (text) => precedingNumbers({ ...saying(text), kind: 'corrective' }),
  supplierNumbers: (text) => supplierNumbers(saying(text).supplier, []),

  'violation of an address policy': policy.violation,
  'refuses an address': policy.refuses,
  'mentions of a note': plainText,
  'readCsv of an import': (text) => readCsv(`name\n${text}`),
  'parseByteRange of a header': (text) => parseByteRange(text, 1000),
  cleanFileName,
  attachment,
  'open of a download link': links.open,

  readNotice: (text) => parseProviderWebhook(Buffer.from(text)),
  'readNotice of a client': (text) => parseProviderWebhook(json({ clientId: text })),
  payloadType: (text) => payloadType(Buffer.from(text), text),
  replyText,
  'replyText below what is quoted': (text) => replyText(`Hello\n\n> ##- -##\n${text}`),
  'tokenIn of a header': (text) => replyAddresses.tokenIn(`${text}reply+${text}`),
  bodyOf: (text) => bodyOf({ 'content-type': text, 'content-length': text }, { service: 'ticket' }),
  clientAddress: (text) => clientAddress('::1', text, 1),
  'credentialOf a header': (text) => credentialOf('ts', { authorization: text }, true),
  'credentialOf a cookie': (text) => credentialOf('ts', { cookie: text }, true),
  requestHeaders: (text) => requestHeaders(['Connection', text, text, text], []),
  answerHeaders: (text) => responseHeaders(['Connection', text, text, text], [], new Map()),
  originAllowed: (text) => originAllowed({ method: 'POST', origin: text, fetchSite: text }, new Set()),
  pathOf,
  routeFinder: (text) => routeOf('ticket', text),
  addressBlock,
  isMaterial: (text) => isMaterialChange(saying(text), saying(`${text}.`)),
  'position in a cursor': (text) => decodePosition(invoiceList, { by: 'amount', descending: true }, text),
};

/** Ignores errors: a text that is refused in time is fine. */
export function tolerant(parse: Parser, text: string): () => unknown {
  return () => {
    try {
      return parse(text);
    } catch (error) {
      const isRefusal = [AppError, ValidationError, ProviderError, RangeError].some((kind) => error instanceof kind);
      if (isRefusal) return null;
      throw error;
    }
  };
}
