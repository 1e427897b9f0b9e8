import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { webhookCatalogue } from '@app/contracts';
import { openApi } from '@app/http';
import { typologies } from '../../services/ticket/tickets/ticket.ts';
import { hostDocuments } from '../../tools/generate-docs/api/host-documents.ts';
import { describeServices } from '../../tools/generate-docs/describe-services.ts';

type Json = Record<string, unknown>;

const root = join(__dirname, '../..');
const hosts = ['ticket', 'ts', 'download'] as const;
let documents: Awaited<ReturnType<typeof hostDocuments>>;
beforeAll(async () => {
  documents = await hostDocuments(root);
});

const lint = (document: unknown) =>
  JSON.parse(
    execFileSync(process.execPath, [join(__dirname, 'programs/lint-openapi.ts')], {
      input: JSON.stringify(document),
    }).toString(),
  ) as string[];

test.each(hosts)('the linters find nothing in the document of the host %s', (host) => {
  expect(lint(documents[host])).toEqual([]);
});

test('the documents have the webhooks that are served with them', () => {
  const sent = (host: (typeof hosts)[number]) => Object.keys((documents[host]['webhooks'] ?? {}) as Json);
  expect(sent('ts')).toEqual(webhookCatalogue.map(({ event }) => event));
  expect([...sent('ticket'), ...sent('download')]).toEqual([]);
});

test('closed lists are enums, and ids among them have names', () => {
  const { paths, components } = documents.ticket as {
    paths: Record<string, Record<string, { parameters: { name?: string; style?: string; schema: Json }[] }>>;
    components: { schemas: Record<string, { properties: Record<string, Json> }> };
  };
  const query = paths['/api/v3.0/tickets']?.['get']?.parameters;
  const named = { enum: Object.values(typologies), 'x-enum-varnames': Object.keys(typologies) };
  expect(query?.find(({ name }) => name === 'typology')?.schema).toMatchObject(named);
  expect(components.schemas['Typology']?.properties['_id']).toMatchObject(named);
  expect(query?.find(({ name }) => name === 'status')).toMatchObject({
    ...{ style: 'form', explode: false },
    schema: { type: 'array', items: { enum: expect.arrayContaining(['opened', 'cashedby']) } },
  });
  expect(components.schemas['TicketHistoryItem']?.properties['operation']?.['enum']).toEqual(
    expect.arrayContaining(['reopen', 'add_invoice', 'withdraw']),
  );
});

const errors = ['timeout', 'proxy_failed', null];
test.each([
  ['ts', 'Delivery', 'event', ['ticket.status_changed', 'webhook.test']],
  ['ts', 'Delivery', 'attempts.error', errors],
  ['ts', 'AttemptWithRequest', 'error', errors],
  ['ts', 'TestResult', 'error', errors],
  ['ts', 'EventType', 'type', ['ticket.invoice_added', 'webhook.test']],
  ['ts', 'Invoice', 'error.step', ['normalize', 'feedback']],
  ['ts', 'AuditEntry', 'action', ['login.accepted', 'company.reopened']],
  ['ts', 'AuditEntry', 'actor.credential', ['session', 'platform_token', null]],
  ['ts', 'AuditEntry', 'target.kind', ['user', 'export']],
  ['ts', 'CompanyExport', 'progress.kinds.kind', ['company', 'webhook_deliveries']],
  ['ticket', 'TicketMove', 'body.type', ['planned', 'actual']],
  ['ticket', 'TicketMove', 'body.category', ['visit', 'intervention']],
] as const)('on the host %s, %s.%s is an enum', (host, name, path, values) => {
  const { components } = documents[host] as { components: { schemas: Record<string, Json> } };
  const inside = (schema: Json, field: string) => {
    const { properties } = (schema['items'] ?? schema) as { properties: Record<string, Json> };
    return properties[field] as Json;
  };
  const found = path.split('.').reduce(inside, components.schemas[name] as Json);
  expect(found['enum']).toEqual(expect.arrayContaining([...values]));
});

test('the linters do find faults', () => {
  expect(lint({ ...documents.download, info: { title: 'x', version: '1' } })).toEqual([
    expect.stringContaining('redocly warn info-license'),
    expect.stringContaining('spectral info-contact'),
    expect.stringContaining('spectral info-description'),
  ]);
});

test('services that share a host mean the same by one name', async () => {
  const meant = new Map<string, Json>();
  for (const { name: service, routes } of await describeServices(root)) {
    const { components } = openApi(service, routes) as { components: { schemas: Record<string, Json> } };
    for (const [name, schema] of Object.entries(components.schemas)) {
      const before = meant.get(name) ?? schema;
      expect([service, name, isDeepStrictEqual(before, schema)]).toEqual([service, name, true]);
      meant.set(name, schema);
    }
  }
  expect(meant.size).toBeGreaterThan(40);
});
