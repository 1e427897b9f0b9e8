import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@app/testing';
import { caller, newContractorOf, ok, stack } from '../platform.ts';
import { nameOf, type Operation, pathWith } from './operations.ts';
import { createResources } from './resources.ts';

let values: Record<string, string>;
let contractor: string;
beforeAll(async () => {
  const { owner, ids } = await createResources();
  const administrator = caller(stack().tsApi, stack().adminToken);
  const exports = [
    () => owner.ts(`GET /exports/${ids['list_export_id']}`),
    () => administrator(`GET /admin/exports/${ids['export_id']}`),
  ];
  for (const read of exports)
    await eventually(async () => expect((await read()).data).toMatchObject({ state: 'done' }));
  const ticket = `/tickets/${ids['ticket_id']}`;
  contractor = (await newContractorOf(owner)).session;
  values = {
    ...ids,
    token: owner.session,
    session: owner.session,
    platform_admin_token: stack().adminToken,
    from: '2026-11-23',
    to: '2026-11-30',
    ticket_number: (await ok(owner.api(`GET ${ticket}`))).data.number,
    s3_key: (await ok(owner.api(`GET ${ticket}/documents`))).data.documents[0].s3_key,
  };
});

type Request = { operation: Operation; query: string; authorization: string };

/** The GET requests of a file, with its variables still in them. */
function readsIn(file: string, host: Operation['host']): Request[] {
  const requests = file.split(/^### .*$/m).slice(1);
  return requests.flatMap((request) => {
    const [, path, query = ''] = request.match(/^GET \{\{host\}\}([^?\s]+)(\?\S+)?$/m) ?? [];
    const authorization = request.match(/^Authorization: (.*)$/m)?.[1] ?? '';
    if (path === undefined) return [];
    const operation = { host, method: 'GET', path: path.replaceAll('{{', '{').replaceAll('}}', '}') } as Operation;
    return [{ operation, query, authorization }];
  });
}

/** Where another answer than 200 is right. */
const others: Record<string, number> = {
  'ticket GET /api/v3.0/clients': 403,
  'ticket GET /api/v3.0/clients/requests': 403,
  // The ticket's file is no picture, and places and equipment have no photo.
  'ticket GET /api/v3.0/tickets/{ticket_id}/documents/thumbnail': 404,
  'ticket GET /api/v3.0/locations/{location_id}/photo/download-link': 404,
  'ticket GET /api/v3.0/locations/{location_id}/photo/thumbnail': 404,
  'ticket GET /api/v3.0/equipments/{equipment_id}/photo/download-link': 404,
  'ticket GET /api/v3.0/equipments/{equipment_id}/photo/thumbnail': 404,
  // The invoice has no file, and the company no single sign-on.
  'ts GET /invoices/{id}/document': 404,
  'ts GET /company/sso': 404,
  // Browsers are sent here, with a query; without it they are sent back to the console.
  'ts GET /auth/sso/callback/{id}': 302,
  'ts GET /auth/sso/start': 422,
  // Their query is missing.
  'ticket GET /api/v3.0/tickets/{ticket_id}/mentionable-users': 422,
  'ts GET /mail/unsubscribe': 404,
};

async function send({ operation, query, authorization }: Request, given = values): Promise<number> {
  const filled = query.replaceAll(/(\w+)=/g, (_, name: string) => `${name}=${encodeURIComponent(given[name] ?? '')}`);
  const credential = authorization.replace(/\{\{(\w+)\}\}/, (_, name: string) => given[name] ?? '');
  const call = caller(operation.host === 'ticket' ? stack().ticketApi : stack().tsApi);
  const line = `GET ${pathWith(operation, given)}${filled}`;
  return (await call(line, undefined, credential === '' ? {} : { authorization: credential })).status;
}

test.each([
  ['ticket-api.http', 'ticket', 20],
  ['ts-api.http', 'ts', 25],
] as const)('each GET of docs/requests/%s reads what it names', async (name, host, atLeast) => {
  const file = readFileSync(join(__dirname, '../../../docs/requests', name), 'utf8');
  const requests = readsIn(file, host);
  const answers: [string, number][] = [];
  for (const request of requests) answers.push([nameOf(request.operation), await send(request)]);
  expect(answers).toEqual(answers.map(([line]) => [line, others[line] ?? 200]));
  expect(requests.length).toBeGreaterThan(atLeast);
  const clients = requests.find(({ operation }) => operation.path.endsWith('/clients'));
  if (clients) expect(await send(clients, { ...values, token: contractor })).toBe(200);
  // Whoever opens the file finds every variable that a request has.
  const used = new Set([...file.matchAll(/\{\{(\w+)\}\}/g)].map(([, variable]) => variable));
  for (const variable of used) expect(file).toMatch(new RegExp(`^@${variable} =`, 'm'));
});
