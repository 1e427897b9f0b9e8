import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { furtherWebhooks, platformQueues, type QueueTable, webhookCatalogue } from '@app/contracts';
import { bodyOptions, openApi, type Route, requestName, responseName } from '@app/http';
import { parse } from 'yaml';
import recorded from '../../libs/http/openapi/recorded/examples.json' with { type: 'json' };
import { typologies } from '../../services/ticket/tickets/ticket.ts';
import { asyncApi } from '../../tools/generate/docs/api/asyncapi.ts';
import { hostDocuments } from '../../tools/generate/docs/api/host-documents.ts';
import { readCatalogue } from '../../tools/generate/docs/catalogue.ts';
import { type DescribedService, describeServices } from '../../tools/generate/docs/describe-services.ts';
import { generateDocs } from '../../tools/generate/docs/generate-docs.ts';
import { openApiCheck } from '../e2e/openapi-check.ts';

type Json = Record<string, unknown>;
type Content = Record<string, { schema: object; example?: unknown }>;
type Link = { operationId: string; parameters: Record<string, string> };
type Operation = {
  operationId: string;
  parameters: { name?: string; style?: string; schema: Json }[];
  requestBody?: { content: Content };
  responses: Record<string, { links?: Record<string, Link>; content?: Content }>;
};
type Document = {
  info: object;
  webhooks?: Json;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

const root = join(__dirname, '../..');
const hosts = ['ticket', 'ts', 'download'] as const;
const json = 'application/json';
// All that is made of the services' routes is tested in this file: to load the services takes longer than the tests.
let documents: Record<(typeof hosts)[number], Document>;
let services: DescribedService[];
beforeAll(async () => {
  documents = (await hostDocuments(root)) as unknown as typeof documents;
  services = await describeServices(root);
});

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
type Described = ReturnType<typeof operationsOf>[number];

describe('the OpenAPI documents', () => {
  test('the linter finds nothing in them, and does find faults', () => {
    const faulty = { ...documents.download, info: { title: 'x', version: '1' } };
    const program = join(__dirname, 'programs/lint-openapi.ts');
    const input = JSON.stringify({ ...documents, faulty });
    expect(JSON.parse(execFileSync(process.execPath, [program], { input }).toString())).toEqual({
      ticket: [],
      ts: [],
      download: [],
      faulty: [
        expect.stringContaining('error info-contact'),
        expect.stringContaining('warn info-license'),
        expect.stringContaining('error rule/info-description'),
      ],
    });
  });

  test('have the webhooks that are served with them', () => {
    const sent = hosts.map((host) => Object.keys(documents[host].webhooks ?? {}));
    expect(sent).toEqual([[], [...webhookCatalogue, ...furtherWebhooks].map(({ event }) => event), []]);
  });

  test('show closed lists as enums, and ids among them with names', () => {
    const { paths, components } = documents.ticket;
    const query = paths['/api/v3.0/tickets']?.['get']?.parameters;
    const named = { enum: Object.values(typologies), 'x-enum-varnames': Object.keys(typologies) };
    expect(query?.find(({ name }) => name === 'typology')?.schema).toMatchObject(named);
    expect(components.schemas['Typology']?.['properties']).toMatchObject({ _id: named });
    expect(query?.find(({ name }) => name === 'status')).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { enum: expect.arrayContaining(['opened', 'cashedby']) } },
    });
  });

  test.each([
    ['ts', 'Delivery', 'event', ['ticket.status_changed', 'webhook.test']],
    ['ts', 'Delivery', 'attempts.error', ['timeout', 'proxy_failed', null]],
    ['ts', 'AuditEntry', 'actor.credential', ['session', 'platform_token', null]],
    ['ts', 'CompanyExport', 'progress.kinds.kind', ['company', 'webhook_deliveries']],
    ['ticket', 'TicketMove', 'body.category', ['visit', 'intervention']],
    ['ticket', 'TicketHistoryItem', 'operation', ['reopen', 'add_invoice', 'withdraw']],
  ] as const)('on the host %s, %s.%s is an enum', (host, name, path, values) => {
    const inside = (schema: Json, field: string) => {
      const { properties } = (schema['items'] ?? schema) as { properties: Record<string, Json> };
      return properties[field] as Json;
    };
    const found = path.split('.').reduce(inside, documents[host].components.schemas[name] as Json);
    expect(found['enum']).toEqual(expect.arrayContaining([...values]));
  });

  test('of services that share a host mean the same by one name', () => {
    const meant = new Map<string, Json>();
    for (const { name: service, routes } of services) {
      const { components } = openApi(service, routes) as Pick<Document, 'components'>;
      for (const [name, schema] of Object.entries(components.schemas)) {
        const before = meant.get(name) ?? schema;
        expect([service, name, isDeepStrictEqual(before, schema)]).toEqual([service, name, true]);
        meant.set(name, schema);
      }
    }
    expect(meant.size).toBeGreaterThan(40);
  });

  test('a link names an operation and every parameter of its path, each from what there is', () => {
    const links = hosts.flatMap((host) => {
      const all = operationsOf(documents[host]);
      return all.flatMap((from) => linksOf(from).map((one) => ({ ...one, from, all })));
    });
    for (const { link, example, from, all } of links) {
      const to = all.find(({ operation }) => operation.operationId === link.operationId);
      expect([from.path, link, to?.path.match(/(?<=\{)\w+/g)]).toEqual([from.path, link, Object.keys(link.parameters)]);
      const values = Object.values(link.parameters).map((expression) => taken(expression, from.path, example));
      expect([from.path, link, values]).toEqual([from.path, link, values.map(() => expect.stringMatching(/./))]);
    }
    expect(links.length).toBeGreaterThan(40);
  });

  test('a creation links to what reads, changes and deletes the thing that it made', () => {
    const made = hosts.flatMap((host) => {
      const all = operationsOf(documents[host]);
      const creations = all.filter(({ method, operation }) => method === 'post' && '201' in operation.responses);
      return creations.map((creation) => {
        const item = new RegExp(`^${creation.path.replaceAll(/[{}]/g, '\\$&')}/\\{\\w+\\}$`);
        return { creation, wanted: all.filter(({ path }) => item.test(path)) };
      });
    });
    for (const { creation, wanted } of made) {
      const linked = linksOf(creation).map(({ link }) => link.operationId);
      expect(linked).toEqual(expect.arrayContaining(wanted.map(({ operation }) => operation.operationId)));
    }
    expect(made.filter(({ wanted }) => wanted.length > 1).length).toBeGreaterThan(8);
  });
});

const linksOf = ({ operation }: Described) =>
  Object.values(operation.responses).flatMap(({ links = {}, content }) =>
    Object.values(links).map((link) => ({ link, example: content?.[json]?.example })),
  );

/** What a link takes a parameter from: a parameter of the request, or a field of its answer. */
function taken(expression: string, path: string, example: unknown): unknown {
  const parameter = expression.match(/^\$request\.path\.(\w+)$/)?.[1];
  if (parameter) return path.includes(`{${parameter}}`) ? parameter : undefined;
  const steps = expression.match(/^\$response\.body#\/([\w/]+)$/)?.[1]?.split('/') ?? [];
  return steps.reduce((value: unknown, step) => (value as Json | undefined)?.[step], example);
}

describe('examples', () => {
  test.each(hosts)('%s: every answer in JSON has one, which its schema allows', (host) => {
    const check = openApiCheck(documents[host] as never);
    for (const { path, method, operation } of operationsOf(documents[host])) {
      const successes = Object.entries(operation.responses).filter(
        ([status, { content }]) => status < '300' && content?.[json],
      );
      for (const [status, { content }] of successes) {
        const body = content?.[json]?.example;
        const faults = check({ method, path: path.replaceAll(/[{}]/g, ''), status: Number(status), body });
        expect([method, path, faults]).toEqual([method, path, []]);
      }
    }
  });

  test('what the end-to-end tests recorded is that of its request or its answer', () => {
    const shown = hosts.flatMap((host) =>
      operationsOf(documents[host]).flatMap(({ path, method, operation }): [string, unknown][] => [
        [requestName({ method, path }), operation.requestBody?.content[json]?.example],
        ...Object.entries(operation.responses).map(([status, { content }]): [string, unknown] => [
          responseName({ method, path, status }),
          content?.[json]?.example,
        ]),
      ]),
    );
    const examples = new Map(shown);
    for (const [name, example] of Object.entries(recorded)) expect([name, examples.get(name)]).toEqual([name, example]);
    expect(Object.keys(recorded).length).toBeGreaterThan(150);
  });

  test('every request in JSON has one, which its route takes', () => {
    const described = hosts.flatMap((host) => operationsOf(documents[host]));
    const exampleOf = (route: Route) => {
      const documented = route.path.replaceAll(/:([^/]+)/g, '{$1}');
      const found = described.find(({ path, method }) => path === documented && method === route.method);
      return found?.operation.requestBody?.content[json]?.example;
    };
    const routes = services.flatMap((service) => service.routes);
    const taking = routes.filter(({ host, body, rawBody }) => host !== 'internal' && (body ?? rawBody));
    for (const route of taking) {
      const { error } = (route.body ?? route.rawBody)?.validate(exampleOf(route), bodyOptions) ?? {};
      expect([route.method, route.path, error?.message]).toEqual([route.method, route.path, undefined]);
    }
    expect(taking.length).toBeGreaterThan(30);
  });
});

describe('what `npm run docs` writes', () => {
  test('is what is committed in docs/', async () => {
    const pages = await generateDocs(root);
    const committed = [...pages.keys()].map((path) => join(root, path)).map((file) => existsSync(file) && read(file));
    expect(Object.fromEntries([...pages.keys()].map((path, index) => [path, committed[index]]))).toEqual(
      Object.fromEntries(pages),
    );
  });
});

describe('the AsyncAPI document', () => {
  test('resolves its references', () => {
    const document = parse(asyncApi(readCatalogue(root), services)) as Json;
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    const at = (path: string) => path.split('/').reduce<unknown>((inner, key) => (inner as Json)?.[key], document);
    expect(references.length).toBeGreaterThan(30);
    expect(references.filter((path) => at(path) === undefined)).toEqual([]);
  });
});

const read = (file: string) => readFileSync(file, 'utf8');

test('every service subscribes to the queues of the platform that are its own, and to nothing else', () => {
  const typesOf = (types: readonly (string | { type: string })[]) =>
    types.map((type) => (typeof type === 'string' ? type : type.type)).sort();
  const subscribed = services.flatMap(({ name, consumes }) =>
    consumes.map(({ queue, types }) => [`${name}.${queue}`, typesOf(types)]),
  );
  const listed = Object.entries(platformQueues as QueueTable).flatMap(([name, queues]) =>
    Object.entries(queues).map(([queue, types]) => [`${name}.${queue}`, typesOf(types)]),
  );
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(subscribed));
});
