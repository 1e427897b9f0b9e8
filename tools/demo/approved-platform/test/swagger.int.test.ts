import { createHash } from 'node:crypto';
import { eventually } from '@app/testing';
import { startHttpServer } from '../../fake-server/http-server.ts';
import { startApprovedPlatform } from '../start-approved-platform.ts';
import { buyerMessage, Client, clientId, clientSecret } from './client.ts';
import { descriptionIn } from './swagger.ts';

/** A folder with `flow-service-1.3.0.json` and `directory-service-1.3.0.json` of XP Z12-013. */
const description = descriptionIn(process.env['AFNOR_SWAGGER']);

/** Everything that the services do, and every error that they tell. */
async function conversation() {
  const platform = await startApprovedPlatform({ port: 0 });
  const flows: unknown[] = [];
  const receiver = await startHttpServer(
    ({ body }) => {
      flows.push(JSON.parse(body.toString('utf8')));
      return { status: 200 };
    },
    { port: 0 },
  );
  const client = new Client(platform);
  platform.setClient({ clientId, clientSecret, organizations: [clientId, 'another'] });
  const headers = { 'organization-id': clientId };
  const call = (method: string, path: string, sent?: unknown, more = {}) =>
    client.call(method, path, sent, { ...headers, ...more });
  await call('GET', '/v1/webhooks');
  await client.authenticate();
  const params = { callbackUrl: receiver.url, flowTypes: ['SupplierInvoice', 'SupplierInvoiceLC', 'Undefined'] };
  const { webhookId } = (await call('POST', '/v1/webhooks', params)).body as { webhookId: string };
  await call('GET', '/v1/webhooks');
  const invoice = { number: 'F-1', issueDate: '2026-11-16' };
  const pending = { acknowledgement: { status: 'Pending' as const } };
  const { flow } = await platform.addInvoice({ organization: clientId, invoice, flow: pending });
  await platform.settle(flow.flowId);
  for (const status of ['200', '201', '202', '203', '209', '212', '213', '220'])
    await platform.addLifeCycle({ organization: clientId, invoiceFlowId: flow.flowId, status, reason: 'DOUBLON' });
  for (const docType of ['Metadata', 'Original', 'Converted', 'ReadableView', 'All'])
    await call('GET', `/v1/flows/${flow.flowId}?docType=${docType}`);
  await call('GET', '/v1/flows/none');
  const file = buyerMessage();
  const sha256 = createHash('sha256').update(file).digest('hex');
  for (const sent of [file, '<a/>', '']) {
    platform.setClient({ clientId, clientSecret });
    await client.send({ trackingId: 'once', sha256, processingRule: 'B2B', flowProfile: 'CIUS' }, sent);
  }
  await client.send({ processingRule: 'B2BInt' }, buyerMessage());
  const where = { updatedAfter: '2026-11-16T08:00:00Z', updatedBefore: '2036-11-16T08:00:00Z' };
  const { nextCursor } = (await call('POST', '/v1/flows/search', { where, limit: 2 })).body as { nextCursor: string };
  await call('POST', '/v1/flows/search', { where, limit: 2, cursor: nextCursor });
  const lists = { processingRule: ['B2B', 'B2BInt'], flowType: ['SupplierInvoiceLC'], flowDirection: ['Out'] };
  await call('POST', '/v1/flows/search', { where: { ...lists, trackingId: 'once', ackStatus: 'Error' }, limit: 100 });
  await call('POST', '/v1/flows/search', { where, limit: 101 });
  await call('GET', '/v1/webhooks', undefined, { 'organization-id': 'a third' });
  await call('DELETE', `/v1/webhooks/${webhookId}`);
  await call('DELETE', `/v1/webhooks/${webhookId}`);
  await call('GET', '/v1/healthcheck');
  const line = { addressingIdentifier: '356000000', siren: '356000000' };
  platform.addToDirectory({ lines: [line], sirens: [{ siren: '356000000', businessName: 'Atelier' }] });
  platform.addToDirectory({ sirets: [{ siret: '35600000009075', name: 'Atelier' }] });
  const filters = { siren: { op: 'strict', value: '356000000' } };
  await call('POST', '/v1/directory-line/search', { filters, limit: 10, ignore: 0 });
  await call('POST', '/v1/directory-line/search', { filters, fields: ['siren'] });
  await call('GET', '/v1/directory-line/code:356000000');
  await call('GET', '/v1/directory-line/code:1');
  await call('GET', '/v1/siren/code-insee:356000000');
  await call('GET', '/v1/siret/code-insee:35600000009075');
  await call('POST', '/v1/siren/search', {});
  for (const status of [429, 500, 503]) {
    platform.fail({ kind: 'status', status, times: 1 });
    await call('POST', '/v1/flows/search', { where });
  }
  // The invoice and each of three flows that were sent, while Pending and after it; eight statuses of the invoice.
  await eventually(() => expect(flows).toHaveLength(16));
  await platform.close();
  await receiver.close();
  return { said: client.said, flows };
}

let told: Awaited<ReturnType<typeof conversation>>;

beforeAll(async () => {
  told = await conversation();
});

(description ? test : test.skip)('every exchange is as the standard describes it (AFNOR_SWAGGER)', () => {
  const { said, flows } = told;
  const problems = said.flatMap((exchange) => description?.problemsOf(exchange) ?? []);
  expect([...problems, ...flows.flatMap((flow) => description?.problemsOfFlow(flow) ?? [])]).toEqual([]);
});

test('the conversation has every status that the fake answers by itself', () => {
  const statuses = new Set(told.said.map(({ status }) => status));
  expect([...statuses].toSorted()).toEqual([200, 201, 202, 204, 400, 401, 403, 404, 429, 500, 501, 503]);
});
