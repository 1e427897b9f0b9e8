import { readLifeCycle } from '../index.ts';

const uncefact = 'urn:un:unece:uncefact:data:standard';
const namespace = `${uncefact}:CrossDomainAcknowledgementAndResponse:100`;

type Reference = { number?: string; status?: string; date?: string; seller?: string; details?: string };

const referenceOf = ({ number = 'FA-1', status = '212', date = '20261116', seller, details = '' }: Reference) => `
  <ram:ReferenceReferencedDocument>
    <ram:IssuerAssignedID>${number}</ram:IssuerAssignedID>
    <ram:FormattedIssueDateTime><qdt:DateTimeString format="102">${date}</qdt:DateTimeString></ram:FormattedIssueDateTime>
    <ram:ProcessConditionCode>${status}</ram:ProcessConditionCode>
    <ram:IssuerTradeParty>${seller ?? '<ram:GlobalID schemeID="0002">732829320</ram:GlobalID>'}</ram:IssuerTradeParty>
    ${details}
  </ram:ReferenceReferencedDocument>`;

const message = (references: Reference[], at = '20261120143109') =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossDomainAcknowledgementAndResponse xmlns:rsm="${namespace}" xmlns:ram="${uncefact}:ReusableAggregateBusinessInformationEntity:100"
  xmlns:qdt="${uncefact}:QualifiedDataType:100" xmlns:udt="${uncefact}:UnqualifiedDataType:100">
  <rsm:ExchangedDocument><ram:ID>1</ram:ID></rsm:ExchangedDocument>
  <rsm:AcknowledgementDocument>
    <ram:IssueDateTime><udt:DateTimeString format="204">${at}</udt:DateTimeString></ram:IssueDateTime>
    ${references.map(referenceOf).join('')}
  </rsm:AcknowledgementDocument>
</rsm:CrossDomainAcknowledgementAndResponse>`);

const status = {
  number: 'FA-1',
  issue_date: '2026-11-16',
  supplier_siren: '732829320',
  status: '212',
  reasons: [],
  at: '2026-11-20T14:31:09.000Z',
};

test('a status names its invoice, its time and its reasons', () => {
  const details = `
    <ram:SpecifiedDocumentStatus><ram:ReasonCode>DOUBLON</ram:ReasonCode><ram:Reason>Doublon</ram:Reason>
      <ram:SequenceNumeric>1</ram:SequenceNumeric><ram:IncludedNote><ram:Content>reçue deux fois</ram:Content></ram:IncludedNote>
    </ram:SpecifiedDocumentStatus>
    <ram:SpecifiedDocumentStatus><ram:SequenceNumeric>2</ram:SequenceNumeric></ram:SpecifiedDocumentStatus>`;
  expect(readLifeCycle(message([{ status: '213', details }]))).toEqual([
    {
      ...status,
      status: '213',
      reasons: [
        { code: 'DOUBLON', text: 'Doublon; reçue deux fois' },
        { code: null, text: null },
      ],
    },
  ]);
});

test.each([
  ['a SIRET', '<ram:GlobalID schemeID="0009">73282932000074</ram:GlobalID>', '732829320'],
  [
    'an identifier of another kind first',
    '<ram:GlobalID schemeID="0088">7</ram:GlobalID><ram:GlobalID schemeID="0002">356000000</ram:GlobalID>',
    '356000000',
  ],
  ['no identifier', '<ram:RoleCode>SE</ram:RoleCode>', null],
])('a supplier with %s', (_case, seller, siren) => {
  expect(readLifeCycle(message([{ seller }]))).toMatchObject([{ supplier_siren: siren }]);
});

test('what no invoice can be found by is left out, and the others are read', () => {
  const read = readLifeCycle(
    message([{ number: '' }, { status: 'paid' }, { date: '20261345' }, { number: 'x'.repeat(5_000) }, {}]),
  );
  expect(read).toEqual([status]);
  expect(readLifeCycle(message([{}], 'yesterday'))).toEqual([]);
});

test('as many references, reasons and letters are read as are kept', () => {
  const details =
    `<ram:SpecifiedDocumentStatus><ram:Reason>${'x'.repeat(2_000)}</ram:Reason></ram:SpecifiedDocumentStatus>`.repeat(
      30,
    );
  const read = readLifeCycle(message(Array.from({ length: 60 }, () => ({ details }))));
  expect(read).toHaveLength(50);
  expect(read[0]?.reasons).toHaveLength(20);
  expect(read[0]?.reasons[0]?.text).toHaveLength(1_000);
});

test.each([
  ['an invoice', '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>'],
  ['a root of another namespace', '<CrossDomainAcknowledgementAndResponse xmlns="urn:x"/>'],
  ['a document type', `<!DOCTYPE x [<!ENTITY y "z">]>${message([{}])}`],
  ['no XML', 'no XML'],
])('%s is refused', (_case, text) => {
  expect(() => readLifeCycle(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'document_refused' }));
});
