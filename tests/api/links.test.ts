import { join } from 'node:path';
import { hostDocuments } from '../../tools/generate-docs/api/host-documents.ts';

type Link = { operationId: string; parameters: Record<string, string> };
type Response = { links?: Record<string, Link>; content?: Record<string, { example?: unknown }> };
type Operation = { operationId: string; parameters: { name?: string }[]; responses: Record<string, Response> };
type Described = { path: string; method: string; operation: Operation };

let operations: Record<string, Described[]>;
beforeAll(async () => {
  const documents = await hostDocuments(join(__dirname, '../..'));
  operations = Object.fromEntries(Object.entries(documents).map(([host, document]) => [host, operationsOf(document)]));
});

function operationsOf(document: Record<string, unknown>): Described[] {
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

const linksOf = ({ operation }: Described) =>
  Object.values(operation.responses).flatMap(({ links = {}, content }) =>
    Object.values(links).map((link) => ({ link, example: content?.['application/json']?.example })),
  );

/** What a link takes a parameter from: a parameter of the request, or a field of its answer. */
function taken(expression: string, path: string, example: unknown): unknown {
  const parameter = expression.match(/^\$request\.path\.(\w+)$/)?.[1];
  if (parameter) return path.includes(`{${parameter}}`) ? parameter : undefined;
  const steps = expression.match(/^\$response\.body#\/([\w/]+)$/)?.[1]?.split('/') ?? [];
  return steps.reduce((value: unknown, step) => (value as Record<string, unknown> | undefined)?.[step], example);
}

test('a link names an operation and every parameter of its path, each from what there is', () => {
  const links = Object.values(operations).flatMap((all) =>
    all.flatMap((from) => linksOf(from).map((one) => ({ ...one, from, all }))),
  );
  for (const { link, example, from, all } of links) {
    const to = all.find(({ operation }) => operation.operationId === link.operationId);
    expect([from.path, link, to?.path.match(/(?<=\{)\w+/g)]).toEqual([from.path, link, Object.keys(link.parameters)]);
    for (const expression of Object.values(link.parameters)) {
      expect([from.path, expression, taken(expression, from.path, example)]).toEqual([
        from.path,
        expression,
        expect.stringMatching(/./),
      ]);
    }
  }
  expect(links.length).toBeGreaterThan(40);
});

test('a creation links to what reads, changes and deletes the thing that it made', () => {
  const made = Object.values(operations).flatMap((all) =>
    all
      .filter(({ method, operation }) => method === 'post' && '201' in operation.responses)
      .map((creation) => {
        const item = new RegExp(`^${creation.path.replaceAll(/[{}]/g, '\\$&')}/\\{\\w+\\}$`);
        return { creation, wanted: all.filter(({ path }) => item.test(path)) };
      }),
  );
  for (const { creation, wanted } of made) {
    const linked = linksOf(creation).map(({ link }) => link.operationId);
    const names = wanted.map(({ operation }) => operation.operationId);
    expect(linked).toEqual(expect.arrayContaining(names));
  }
  expect(made.filter(({ wanted }) => wanted.length > 1).length).toBeGreaterThan(8);
});
