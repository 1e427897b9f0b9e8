import { createHash, createHmac } from 'node:crypto';
import { get } from 'node:https';
import { trustedCertificate } from '@app/testing';
import { startHttpServer } from '../../fake-server/http-server.ts';
import { type ApprovedPlatform, startApprovedPlatform } from '../start-approved-platform.ts';
import { buyerMessage, Client, characteristic, clientId, clientSecret, detailOf, note } from './client.ts';

let platform: ApprovedPlatform;
let client: Client;
const organization = clientId;
const invoice = { number: 'F-1', issueDate: '2026-11-16' };

beforeEach(async () => {
  platform = await startApprovedPlatform({ port: 0 });
  platform.setClient({ clientId, clientSecret, apiKey: 'a-static-key' });
  client = new Client(platform);
  await client.authenticate();
});
afterEach(() => platform.close());

describe('a caller', () => {
  const search = (headers = {}) => client.call('POST', '/v1/flows/search', { where: { ackStatus: 'Ok' } }, headers);

  test('needs a token that is good', async () => {
    expect(await search()).toMatchObject({ status: 200 });
    platform.revokeTokens();
    expect(await search()).toMatchObject({ status: 401, body: { errorCode: 'INVALID_TOKEN' } });
    platform.set({ tokenSeconds: 0 });
    expect((await client.authenticate()).json).toMatchObject({ token_type: 'Bearer', expires_in: 0 });
    expect(await search()).toMatchObject({ status: 401 });
    expect(await search({ authorization: 'Bearer a-static-key' })).toMatchObject({ status: 200 });
    expect(await search({ authorization: '' })).toMatchObject({ status: 401, body: { errorCode: 'MISSING_TOKEN' } });
  });

  test('gets one by its secret alone, as a form or by Basic', async () => {
    expect(await client.authenticate({ client_secret: 'another' })).toMatchObject({
      status: 401,
      json: { error: 'invalid_client' },
    });
    expect((await client.authenticate({ grant_type: 'password' })).status).toBe(400);
    platform.set({ clientAuthentication: 'basic' });
    expect((await client.authenticate()).status).toBe(401);
    const basic = [clientId, clientSecret].map(encodeURIComponent).join(':');
    const headers = { authorization: `Basic ${Buffer.from(basic).toString('base64')}` };
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    expect((await fetch(platform.tokenUrl, { method: 'POST', headers, body })).status).toBe(200);
    const { tokenRequests } = platform.received();
    const said = tokenRequests.map(({ by, status }) => `${by} ${status}`);
    expect(said).toEqual(['body 200', 'body 401', 'body 400', 'body 401', 'basic 200']);
    expect(JSON.stringify(platform.received())).not.toContain(clientSecret);
  });

  test('of several organisations says which it means, and sees what that one has', async () => {
    platform.setClient({ clientId, clientSecret, organizations: ['one', 'other'] });
    await platform.addInvoice({ organization: 'one', invoice });
    expect(await search()).toMatchObject({ status: 400 });
    expect(await search({ 'organization-id': 'third' })).toMatchObject({ status: 403 });
    expect(await search({ 'organization-id': 'one' })).toMatchObject({ body: { results: [{ name: 'F-1.xml' }] } });
    expect(await search({ 'organization-id': 'other' })).toMatchObject({ body: { results: [] } });
    const { headers } = client.said.at(-1) ?? {};
    const last = { organization: 'other', requestId: headers?.['request-id'], status: 200 };
    expect(platform.received().requests.at(-1)).toMatchObject(last);
  });
});

describe('a search', () => {
  const where = { flowType: ['SupplierInvoice'] };

  test.each(['ascending', 'descending', 'shuffled'] as const)('lists all flows of one moment: %s', async (order) => {
    platform.set({ order });
    const flow = { updatedAt: '2026-11-16T08:00:00.000Z' };
    for (let number = 0; number < 250; number++)
      await platform.addInvoice({ organization, flow, document: { syntax: 'UBL', bytes: Buffer.from('<a/>') } });
    const { ids, pages } = await client.search(where);
    expect([new Set(ids).size, pages]).toEqual([250, [100, 100, 50]]);
  });

  test('lists by last change, and up to as many as it wants', async () => {
    for (const hour of ['08', '09', '10'])
      await platform.addInvoice({
        organization,
        invoice: { number: hour },
        flow: { flowId: hour, updatedAt: `2026-11-16T${hour}:00:00Z` },
      });
    expect((await client.search(where)).ids).toEqual(['08', '09', '10']);
    platform.set({ order: 'descending', mostPerPage: 2 });
    expect(await client.search(where)).toEqual({ ids: ['10', '09', '08'], pages: [2, 1] });
    const first = await client.call('POST', '/v1/flows/search', { where, limit: 1 });
    const { nextCursor: cursor } = first.body as { nextCursor: string };
    const other = { ...where, ackStatus: 'Ok' };
    expect(await client.call('POST', '/v1/flows/search', { where: other, cursor })).toMatchObject({ status: 400 });
    platform.set({ cursors: 'count' });
    expect(await client.search(where)).toEqual({ ids: ['10', '09', '08'], pages: [2, 1] });
    platform.set({ cursors: 'none' });
    expect((await client.search(where)).pages).toEqual([2]);
    expect((await client.search({ updatedAfter: '2026-11-16T09:00:00Z' })).ids).toEqual(['10']);
    expect((await client.search({ updatedBefore: '2026-11-16T10:00:00+01:00' })).ids).toEqual(['08']);
    for (const none of [{ ackStatus: 'Error' }, { flowDirection: ['Out'] }, { processingRule: ['B2G'] }])
      expect((await client.search({ ...where, ...none })).ids).toEqual([]);
  });

  test('refuses what the standard does not have, and caps silently where platforms do', async () => {
    const wrong = [{}, { where: {} }, { where, limit: 101 }, { where, limit: 0 }, { where, cursor: 'mine' }];
    const wrongCriteria = [{ updatedAfter: 'now' }, { flowType: 'SupplierInvoice' }, { flowId: '1' }];
    for (const body of [...wrong, ...wrongCriteria.map((one) => ({ where: one }))])
      expect(await client.call('POST', '/v1/flows/search', body)).toMatchObject({ status: 400 });
    platform.set({ limitAbove: 'cap' });
    expect(await client.call('POST', '/v1/flows/search', { where, limit: 1_000 })).toMatchObject({
      body: { limit: 100 },
    });
  });
});

describe('a flow', () => {
  test('has its documents, or not all of them', async () => {
    const { flow } = await platform.addInvoice({ organization, invoice, missing: ['Original'] });
    const get = (docType: string, accept = '*/*') =>
      client.call('GET', `/v1/flows/${flow.flowId}?docType=${docType}`, undefined, { accept });
    expect(await get('Original')).toMatchObject({ status: 404, body: { errorCode: 'MISSING_RESOURCE' } });
    expect(await get('Converted')).toMatchObject({ status: 200, type: 'application/octet-stream' });
    expect((await get('ReadableView')).body).toContain('%PDF-');
    expect(await get('Metadata')).toMatchObject({ body: { flowId: flow.flowId } });
    expect(await get('Converted', 'application/json')).toMatchObject({ status: 400 });
    platform.set({ negotiation: 'accept' });
    expect(await get('Converted', 'application/json, */*')).toMatchObject({ type: 'application/json' });
    platform.set({ missing: ['Converted'] });
    expect(await get('Converted')).toMatchObject({ status: 404 });
    platform.setClient({ clientId: 'another', clientSecret, apiKey: 'its-key' });
    const other = { authorization: 'Bearer its-key' };
    expect(await client.call('GET', `/v1/flows/${flow.flowId}`, undefined, other)).toMatchObject({ status: 404 });
  });

  test('is of no type while it is Pending, and changes when it leaves', async () => {
    const pending = { acknowledgement: { status: 'Pending' as const } };
    const updatedAt = '2036-11-16T08:00:00.000Z';
    const { flow } = await platform.addInvoice({ organization, invoice, flow: { ...pending, updatedAt } });
    expect(flow).toMatchObject({ flowType: 'Undefined', processingRule: 'Undefined' });
    expect((await platform.settle(flow.flowId)).flow).toMatchObject({ flowType: 'SupplierInvoice' });
    expect((await client.search({ updatedAfter: flow.updatedAt })).ids).toEqual([flow.flowId]);
  });
});

describe('a callback', () => {
  type Callback = { timestamp: string; signature: unknown; body: string };
  const arrived: Callback[] = [];
  let receiver: Awaited<ReturnType<typeof startHttpServer>>;

  beforeEach(async () => {
    arrived.length = 0;
    receiver = await startHttpServer(
      ({ headers, body }) => {
        const timestamp = String(headers['afnor-signature-timestamp']);
        arrived.push({ timestamp, signature: headers['afnor-signature'], body: body.toString('utf8') });
        return { status: 200 };
      },
      { port: 0 },
    );
  });
  afterEach(() => receiver.close());

  const subscribe = async (more = {}) =>
    (await client.call('POST', '/v1/webhooks', { callbackUrl: receiver.url, ...more })).body as {
      webhookId: string;
      signingKey: string;
    };
  const isSigned = ({ timestamp, signature, body }: Callback, key: Buffer | string, form?: 'hex') => {
    const digest = createHash('sha256').update(`${body}@${timestamp}`);
    const fingerprint = form ? digest.digest(form) : digest.digest();
    return createHmac('sha256', key).update(fingerprint).digest('base64') === signature;
  };

  test('tells a flow to those that want it, signed', async () => {
    const { signingKey } = await subscribe({ flowTypes: ['SupplierInvoice'], flowDirection: 'In', ackStatus: 'Ok' });
    const pending = { acknowledgement: { status: 'Pending' as const } };
    const { flow, callbacks } = await platform.addInvoice({ organization, invoice, flow: pending });
    expect(callbacks).toEqual([]);
    await platform.settle(flow.flowId);
    const [callback] = arrived as [Callback];
    expect(JSON.parse(callback.body)).toMatchObject({ flowId: flow.flowId, flowType: 'SupplierInvoice' });
    expect(isSigned(callback, Buffer.from(signingKey, 'base64'))).toBe(true);
    platform.set({ signatureKey: 'text', signatureDigest: 'hex' });
    await platform.send([flow.flowId]);
    expect(isSigned(arrived.at(-1) as Callback, signingKey, 'hex')).toBe(true);
  });

  test('comes twice, late, out of order, forged or stale when it is asked for', async () => {
    platform.set({ callbacks: 'manual' });
    const { signingKey } = await subscribe();
    const ids: string[] = [];
    for (const number of ['F-1', 'F-2'])
      ids.push((await platform.addInvoice({ organization, invoice: { number } })).flow.flowId);
    expect(arrived).toEqual([]);
    await platform.send(ids.toReversed(), { times: 2, delayMs: 1 });
    const [first, second] = ids;
    expect(arrived.map(({ body }) => JSON.parse(body).flowId)).toEqual([second, second, first, first]);
    await platform.send([String(first)], { signature: 'none' });
    expect(arrived.at(-1)?.signature).toBeUndefined();
    await platform.send([String(first)], { signature: 'wrong' });
    expect(isSigned(arrived.at(-1) as Callback, Buffer.from(signingKey, 'base64'))).toBe(false);
    await platform.send([String(first)], { ageSeconds: 400, flow: { name: 'earlier' } });
    const stale = arrived.at(-1) as Callback;
    expect(isSigned(stale, Buffer.from(signingKey, 'base64'))).toBe(true);
    expect(Date.now() / 1000 - Number(stale.timestamp)).toBeGreaterThanOrEqual(400);
    expect(JSON.parse(stale.body).name).toBe('earlier');
  });

  test('belongs to the client that subscribed', async () => {
    const { webhookId } = await subscribe();
    platform.setClient({ clientId: 'another', clientSecret, organizations: [organization], apiKey: 'its-key' });
    const other = { authorization: 'Bearer its-key' };
    expect(await client.call('GET', '/v1/webhooks', undefined, other)).toMatchObject({ body: { count: 0 } });
    const path = `/v1/webhooks/${webhookId}`;
    expect(await client.call('DELETE', path, undefined, other)).toMatchObject({ status: 404 });
    expect((await client.call('GET', '/v1/webhooks')).body).not.toHaveProperty('webhooks.0.signingKey');
    expect(await client.call('DELETE', path)).toMatchObject({ status: 204 });
    expect(await platform.addInvoice({ organization, invoice })).toMatchObject({ callbacks: [] });
    for (const wrong of [{}, { callbackUrl: 'here' }, { callbackUrl: receiver.url, flowTypes: ['Invoice'] }])
      expect(await client.call('POST', '/v1/webhooks', wrong)).toMatchObject({ status: 400 });
  });
});

describe('a flow that is sent', () => {
  const reasonOf = async (sent: ReturnType<Client['send']>) => {
    const { status, details = [] } = (await client.acknowledged(await sent)) as {
      status: string;
      details?: { reasonCode: string; item: string }[];
    };
    return [status, ...details.map(({ reasonCode, item }) => `${reasonCode} ${item}`)].join(', ');
  };

  beforeEach(() => platform.addInvoice({ organization, invoice }));

  test('is taken, and refused later for its checksum, its tracking id, or when it is asked for', async () => {
    expect(await client.send({ trackingId: 't-1' }, buyerMessage())).toMatchObject({
      status: 202,
      body: { trackingId: 't-1', name: 'message.xml', flowId: expect.any(String), submittedAt: expect.any(String) },
    });
    expect((await client.search({ trackingId: 't-1' })).ids).toHaveLength(1);
    expect(await reasonOf(client.send({ trackingId: 't-1' }, buyerMessage()))).toBe(
      'Error, AlreadyExistingFlow trackingId',
    );
    const sha256 = '0'.repeat(64);
    expect(await reasonOf(client.send({ sha256 }, buyerMessage()))).toBe('Error, ChecksumMismatch sha256');
    expect(await reasonOf(client.send({}, ''))).toBe('Error, EmptyFlow file');
    platform.reject({ reasonCode: 'VirusFound', match: 'F-1', times: 1 });
    expect(await reasonOf(client.send({}, buyerMessage()))).toBe('Error, VirusFound flow');
    const message = buyerMessage();
    expect(await reasonOf(client.send({}, message))).toBe('Ok');
    expect(await reasonOf(client.send({}, message))).toBe('Error, AlreadyExistingFlow MDT-4');
    for (const wrong of [{ name: 1 }, { flowSyntax: 'PDF' }, { sha256: 'abc' }, { processingRule: 'B2C2' }])
      expect(await client.send(wrong, buyerMessage())).toMatchObject({ status: 400 });
  });

  test('stays Pending until it is settled', async () => {
    platform.set({ acknowledgeAfterMs: null });
    const sent = await client.send({}, '<a/>');
    expect(await client.acknowledged(sent)).toEqual({ status: 'Pending' });
    await platform.settle((sent.body as { flowId: string }).flowId);
    expect(await client.acknowledged(sent)).toMatchObject({
      status: 'Error',
      details: [{ reasonCode: 'InvalidSchema' }],
    });
  });

  test('of rule B2BInt is refused at once, unless it is a payment', async () => {
    await platform.addInvoice({ organization, invoice: { number: 'I-1' }, flow: { processingRule: 'B2BInt' } });
    const message = buyerMessage().replace('>F-1<', '>I-1<');
    expect(await client.send({}, message)).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_PROCESSING_RULE' },
    });
    expect(await client.send({ processingRule: 'B2BInt' }, buyerMessage())).toMatchObject({ status: 400 });
    const paid = message.replace('>204<', '>211<').replace('>45<', '>47<');
    expect(await client.send({}, paid)).toMatchObject({ status: 202 });
  });

  test.each([
    ['>REGULATED<', '>B2B<', 'InvoiceLCRuleError MDT-2'],
    ['<ram:RoleCode>WK', '<ram:RoleCode>XX', 'InvoiceLCRuleError MDT-21'],
    ['>732829320<', '>111111111<', 'InvoiceLCAccessDenied MDT-38'],
    ['<ram:URIID schemeID="0225">', '<ram:URIID>', 'InvoiceLCRuleError MDT-73'],
    ['>23<', '>305<', 'InvoiceLCRuleError BR-FR-CDV-09'],
    ['>F-1<', '>F 1<', 'InvoiceLCRuleError MDT-87'],
    ['>45<', '>1<', 'InvoiceLCStatusError MDT-88'],
    ['>380<', '>389<', 'InvoiceLCRuleError MDT-91'],
    [/<ram:ReferenceTypeCode>.*Code>/, '', 'InvoiceLCRuleError MDT-97'],
    ['>20261116<', '>20261117<', 'InvoiceLCRuleError MDT-100'],
    [/(?<=<ram:ReferenceReferencedDocument>.*)>356000000</s, '>999999999<', 'InvoiceLCRuleError MDT-129'],
    ['>204<', '>299<', 'InvoiceLCStatusError MDT-105'],
    ['>204<', '>212<', 'InvoiceLCAccessDenied MDT-105'],
  ])('is refused with %s as %s', async (part, other, reason) => {
    expect(await reasonOf(client.send({}, buyerMessage().replace(part, other)))).toBe(`Error, ${reason}`);
  });

  test.each([
    ['<ram:RequestedActionCode>XXX</ram:RequestedActionCode>', 'InvoiceLCRuleError MDT-121'],
    [characteristic('XXX', '1.00'), 'InvoiceLCRuleError MDT-207'],
    [characteristic('MNA', 'much'), 'InvoiceLCAmountError MDT-215'],
  ])('is refused with the detail %s as %s', async (part, reason) => {
    const details = detailOf('PU_ERR', part);
    expect(await reasonOf(client.send({}, buyerMessage({ status: '207', code: '46', details })))).toBe(
      `Error, ${reason}`,
    );
  });

  test('may lack the code of its status, and is warned', async () => {
    const message = buyerMessage().replace('<ram:StatusCode>45</ram:StatusCode>', '');
    expect(await reasonOf(client.send({}, message))).toBe('Ok, InvoiceLCRuleError MDT-88');
  });

  test('gives one of the reasons of its status, and a refusal a note', async () => {
    const disputed = (details: string) => client.send({}, buyerMessage({ status: '207', code: '46', details }));
    expect(await reasonOf(disputed(detailOf('PU_ERR')))).toBe('Ok');
    expect(await reasonOf(disputed(''))).toBe('Error, InvoiceLCRuleError MDT-113');
    const unnumbered = detailOf('PU_ERR').replace('<ram:SequenceNumeric>1</ram:SequenceNumeric>', '');
    expect(await reasonOf(disputed(unnumbered))).toBe('Error, InvoiceLCRuleError MDT-124-2');
    expect(await reasonOf(disputed(detailOf('JUSTIF_ABS')))).toBe('Error, InvoiceLCRuleError MDT-113');
    const refused = (details: string) => buyerMessage({ status: '210', code: '50', details });
    expect(await reasonOf(client.send({}, refused(detailOf('DOUBLON'))))).toBe('Error, InvoiceLCRuleError MDT-126');
    const id = '<ram:SenderTradeParty><ram:GlobalID schemeID="0002">732829320</ram:GlobalID>';
    const identified = refused(detailOf('DOUBLON', note)).replace('<ram:SenderTradeParty>', id);
    expect(await reasonOf(client.send({}, identified))).toBe('Error, InvoiceLCRuleError BR-FR-CDV-CL-09');
    expect(await reasonOf(client.send({}, refused(detailOf('DOUBLON', note))))).toBe('Ok');
    expect(await reasonOf(disputed(detailOf('PU_ERR')))).toBe('Error, InvoiceLCInvalidStatus MDT-105');
  });

  test('follows no status that ended the invoice', async () => {
    const [invoiceFlowId] = (await client.search({ flowType: ['SupplierInvoice'] })).ids;
    const status = (one: object) =>
      platform.addLifeCycle({ organization, invoiceFlowId: String(invoiceFlowId), status: '213', ...one });
    const { flow } = await status({ reason: 'DOUBLON' });
    expect(flow).toMatchObject({ flowType: 'SupplierInvoiceLC', flowDirection: 'In', flowSyntax: 'CDAR' });
    const { body } = await client.call('GET', `/v1/flows/${flow.flowId}?docType=Original`);
    expect(body).toContain('<ram:ProcessConditionCode>213</ram:ProcessConditionCode>');
    expect(await reasonOf(client.send({}, buyerMessage()))).toBe('Ok');
    await status({ status: '220' });
    expect(await reasonOf(client.send({}, buyerMessage()))).toBe('Error, InvoiceLCInvalidStatus MDT-105');
  });
});

test('with a certificate it is an HTTPS server', async () => {
  const secured = await startApprovedPlatform({ port: 0, certificate: await trustedCertificate(['127.0.0.1']) });
  expect(secured.flowService).toMatch(/^https:/);
  const status = new Promise((resolve, reject) => {
    get(`${secured.flowService}/healthcheck`, (response) => resolve(response.statusCode)).on('error', reject);
  });
  expect(await status).toBe(200);
  await secured.close();
});

test('it is played and fails by HTTP, too', async () => {
  const admin = async (method: string, path: string, body?: object) => {
    const sent = body ? { body: JSON.stringify(body) } : {};
    const response = await fetch(`${platform.url}/admin/${path}`, { method, ...sent });
    const text = await response.text();
    return { status: response.status, json: text === '' ? null : JSON.parse(text) };
  };
  const base64 = Buffer.from('<Invoice><ID>F-9</ID></Invoice>').toString('base64');
  const added = await admin('POST', 'invoices', { organization, document: { syntax: 'UBL', base64 } });
  const { flowId } = added.json.flow;
  expect((await client.call('GET', `/v1/flows/${flowId}?docType=Original`)).body).toContain('F-9');
  expect(await admin('POST', `flows/${flowId}`, { flow: { processingRule: 'B2G' } })).toMatchObject({ status: 200 });
  expect(await admin('POST', 'callbacks', { flowIds: [flowId] })).toEqual({ status: 200, json: { callbacks: [] } });
  for (const [path, body] of [
    ['invoices', { organization }],
    ['invoices', { organization: 'nobody', invoice }],
    ['clients', { clientId }],
    ['settings', { order: 'random' }],
    ['settings', { speed: 1 }],
  ] as const)
    expect(await admin('POST', path, body)).toMatchObject({ status: 422, json: { errorCode: expect.any(String) } });
  await admin('POST', 'faults', { kind: 'status', status: 429, retryAfter: '2', times: 1, on: 'flows' });
  expect(await client.call('GET', `/v1/flows/${flowId}`)).toMatchObject({ status: 429, body: { errorCode: 'fault' } });
  await admin('POST', 'faults', { kind: 'half' });
  await expect(client.call('GET', `/v1/flows/${flowId}`)).rejects.toThrow();
  expect((await admin('DELETE', 'faults')).status).toBe(204);
  expect((await admin('DELETE', 'tokens')).status).toBe(204);
  expect(await client.call('GET', `/v1/flows/${flowId}`)).toMatchObject({ status: 401 });
  const { json } = await admin('GET', 'received');
  expect(json.requests.at(-1)).toMatchObject({ method: 'GET', path: `/flow-service/v1/flows/${flowId}`, status: 401 });
});
