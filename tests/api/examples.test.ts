import { join } from 'node:path';
import { bodyOptions, type Route, responseName, withoutSample } from '@app/http';
import recorded from '../../libs/http/openapi/recorded/examples.json' with { type: 'json' };
import { hostDocuments } from '../../tools/generate-docs/api/host-documents.ts';
import { describeServices } from '../../tools/generate-docs/describe-services.ts';
import { openApiCheck } from '../e2e/openapi-check.ts';

type Content = Record<string, { schema: object; example?: unknown }>;
type Operation = { requestBody?: { content: Content }; responses: Record<string, { content?: Content }> };
type Document = { paths: Record<string, Record<string, Operation>> };

const root = join(__dirname, '../..');
const hosts = ['ticket', 'ts', 'download'] as const;
let documents: Record<(typeof hosts)[number], Document>;
let routes: Route[];
beforeAll(async () => {
  documents = (await hostDocuments(root)) as unknown as typeof documents;
  routes = (await describeServices(root)).flatMap((service) => service.routes);
});

const json = 'application/json';

test.each(hosts)('%s: every answer in JSON has an example, which its schema allows', (host) => {
  const check = openApiCheck(documents[host] as never);
  for (const [path, operations] of Object.entries(documents[host].paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      const successes = Object.entries(responses).filter(([status, { content }]) => status < '300' && content?.[json]);
      for (const [status, { content }] of successes) {
        const body = content?.[json]?.example;
        const faults = check({ method, path: path.replaceAll(/[{}]/g, ''), status: Number(status), body });
        expect([method, path, faults, JSON.stringify(body).includes(withoutSample)]).toEqual([method, path, [], false]);
      }
    }
  }
});

test('what the end-to-end tests recorded is the example of its answer', () => {
  const shown = hosts.flatMap((host) =>
    Object.entries(documents[host].paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.entries(responses).map(([status, { content }]): [string, unknown] => [
          responseName({ method, path, status }),
          content?.[json]?.example,
        ]),
      ),
    ),
  );
  const examples = new Map(shown);
  for (const [name, example] of Object.entries(recorded)) expect([name, examples.get(name)]).toEqual([name, example]);
  expect(Object.keys(recorded).length).toBeGreaterThan(90);
});

test('every request in JSON has an example, which its route takes', () => {
  const described = hosts.flatMap((host) => Object.entries(documents[host].paths));
  const exampleOf = ({ path, method }: Route) => {
    const documented = path.replaceAll(/:([^/]+)/g, '{$1}');
    const operation = described.find(([one, operations]) => one === documented && method in operations)?.[1][method];
    return operation?.requestBody?.content[json]?.example;
  };
  const taking = routes.filter(({ host, body, rawBody }) => host !== 'internal' && (body ?? rawBody));
  for (const route of taking) {
    const { error } = (route.body ?? route.rawBody)?.validate(exampleOf(route), bodyOptions) ?? {};
    expect([route.method, route.path, error?.message]).toEqual([route.method, route.path, undefined]);
    expect(JSON.stringify(exampleOf(route))).not.toContain(withoutSample);
  }
  expect(taking.length).toBeGreaterThan(30);
});
