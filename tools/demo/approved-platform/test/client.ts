import { randomUUID } from 'node:crypto';
import type { ApprovedPlatform } from '../start-approved-platform.ts';

/** What was said: the path is below the service's name, a body is JSON or text. */
export type Exchange = {
  method: string;
  path: string;
  headers: Record<string, string>;
  sent: unknown;
  status: number;
  type: string | null;
  body: unknown;
};

export const [clientId, clientSecret] = ['a-buyer', 'its+secret:1'];

/** Calls a platform as a buyer's software does, and keeps what was said. */
export class Client {
  readonly said: Exchange[] = [];
  readonly #platform: ApprovedPlatform;
  token = '';

  constructor(platform: ApprovedPlatform) {
    this.#platform = platform;
  }

  async authenticate(form: Record<string, string> = {}): Promise<{ status: number; json: Record<string, unknown> }> {
    const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, ...form };
    const response = await fetch(this.#platform.tokenUrl, { method: 'POST', body: new URLSearchParams(body) });
    const json = (await response.json()) as Record<string, unknown>;
    this.token = String(json['access_token'] ?? this.token);
    return { status: response.status, json };
  }

  /** A call of the flow service, or of another one: `path` begins with `/v1`. */
  async call(method: string, path: string, sent?: unknown, more: Record<string, string> = {}): Promise<Exchange> {
    const headers = { authorization: `Bearer ${this.token}`, 'request-id': randomUUID(), ...more };
    const service = /^\/v1\/(directory-line|siren|siret)/.test(path) ? 'directory-service' : 'flow-service';
    const json = { 'content-type': 'application/json' };
    const isForm = sent instanceof FormData;
    const response = await fetch(`${this.#platform.url}/${service}${path}`, {
      method,
      headers: { ...headers, ...(sent === undefined || isForm ? {} : json) },
      ...(sent === undefined ? {} : { body: isForm ? sent : JSON.stringify(sent) }),
    });
    const type = response.headers.get('content-type');
    const text = await response.text();
    const body = type === 'application/json' ? (JSON.parse(text) as unknown) : text;
    const exchange = { method, path, headers, sent, status: response.status, type, body };
    this.said.push(exchange);
    return exchange;
  }

  send(flowInfo: object, file: string | Buffer): Promise<Exchange> {
    const form = new FormData();
    form.append('flowInfo', JSON.stringify({ name: 'message.xml', flowSyntax: 'CDAR', ...flowInfo }));
    form.append('file', new Blob([new Uint8Array(Buffer.from(file))], { type: 'application/xml' }), 'message.xml');
    return this.call('POST', '/v1/flows', form);
  }

  /** The acknowledgement of what was sent last. */
  async acknowledged(exchange: Exchange): Promise<unknown> {
    const { flowId } = exchange.body as { flowId: string };
    return ((await this.call('GET', `/v1/flows/${flowId}`)).body as { acknowledgement: unknown }).acknowledgement;
  }

  /** All results of a search, page by page, and how many each page has. */
  async search(where: object, limit = 100): Promise<{ ids: string[]; pages: number[] }> {
    const [ids, pages]: [string[], number[]] = [[], []];
    for (let cursor: string | undefined; ; ) {
      const { body } = await this.call('POST', '/v1/flows/search', { where, limit, ...(cursor ? { cursor } : {}) });
      const { results, nextCursor } = body as { results: { flowId: string }[]; nextCursor?: string };
      ids.push(...results.map(({ flowId }) => flowId));
      pages.push(results.length);
      if (nextCursor === undefined) return { ids, pages };
      cursor = nextCursor;
    }
  }
}

const un = 'urn:un:unece:uncefact:data:standard';

/** A message of the buyer 732829320 about the invoice F-1, as XP Z12-012 has it, with further details. */
export function buyerMessage({ status = '204', code = '45', details = '', id = randomUUID() as string } = {}): string {
  const now = '<udt:DateTimeString format="204">20261120101500</udt:DateTimeString>';
  return `<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossDomainAcknowledgementAndResponse xmlns:rsm="${un}:CrossDomainAcknowledgementAndResponse:100" xmlns:ram="${un}:ReusableAggregateBusinessInformationEntity:100" xmlns:qdt="${un}:QualifiedDataType:100" xmlns:udt="${un}:UnqualifiedDataType:100">
<rsm:ExchangedDocumentContext>
<ram:BusinessProcessSpecifiedDocumentContextParameter><ram:ID>REGULATED</ram:ID></ram:BusinessProcessSpecifiedDocumentContextParameter>
<ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn.cpro.gouv.fr:1p0:CDV:invoice</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter>
</rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument>
<ram:ID>${id}</ram:ID>
<ram:IssueDateTime>${now}</ram:IssueDateTime>
<ram:SenderTradeParty><ram:RoleCode>WK</ram:RoleCode></ram:SenderTradeParty>
<ram:IssuerTradeParty><ram:GlobalID schemeID="0002">732829320</ram:GlobalID><ram:RoleCode>BY</ram:RoleCode></ram:IssuerTradeParty>
<ram:RecipientTradeParty><ram:GlobalID schemeID="0002">356000000</ram:GlobalID><ram:RoleCode>SE</ram:RoleCode><ram:URIUniversalCommunication><ram:URIID schemeID="0225">356000000</ram:URIID></ram:URIUniversalCommunication></ram:RecipientTradeParty>
</rsm:ExchangedDocument>
<rsm:AcknowledgementDocument>
<ram:MultipleReferencesIndicator><udt:Indicator>false</udt:Indicator></ram:MultipleReferencesIndicator>
<ram:TypeCode>23</ram:TypeCode>
<ram:IssueDateTime>${now}</ram:IssueDateTime>
<ram:ReferenceReferencedDocument>
<ram:IssuerAssignedID>F-1</ram:IssuerAssignedID>
<ram:StatusCode>${code}</ram:StatusCode>
<ram:TypeCode>380</ram:TypeCode>
<ram:ReferenceTypeCode>urn.cpro.gouv.fr:1p0:CDV:einvoicingF2</ram:ReferenceTypeCode>
<ram:FormattedIssueDateTime><qdt:DateTimeString format="102">20261116</qdt:DateTimeString></ram:FormattedIssueDateTime>
<ram:ProcessConditionCode>${status}</ram:ProcessConditionCode>
<ram:IssuerTradeParty><ram:GlobalID schemeID="0002">356000000</ram:GlobalID><ram:RoleCode>SE</ram:RoleCode></ram:IssuerTradeParty>
${details}</ram:ReferenceReferencedDocument>
</rsm:AcknowledgementDocument>
</rsm:CrossDomainAcknowledgementAndResponse>`;
}

export function detailOf(reason: string, more = ''): string {
  return `<ram:SpecifiedDocumentStatus><ram:ReasonCode>${reason}</ram:ReasonCode><ram:SequenceNumeric>1</ram:SequenceNumeric>${more}</ram:SpecifiedDocumentStatus>`;
}

export const note = '<ram:IncludedNote><ram:Content>why</ram:Content></ram:IncludedNote>';
