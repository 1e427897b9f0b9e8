import { eventually } from '@app/testing';
import { aCompany, type Running, statusChanged } from './dispatcher.ts';

const endpoints = '/webhooks/endpoints';
type Given = { events?: string[]; headers?: { name: string; value: string }[] };
type Company = ReturnType<typeof aCompany>;

/** An endpoint of a company, by default a new one, at a path of its own, and what the company does with it. */
export async function subscriberOf(
  { dispatcher, receiver }: Running,
  path: string,
  { events = ['ticket.status_changed'], headers = [], company = aCompany() }: Given & { company?: Company } = {},
) {
  const body = { name: 'ERP', url: receiver.url(path), events, headers };
  const created = await dispatcher.call(company, 'post', endpoints, body);
  if (created.status !== 201) throw new Error(`no endpoint: ${JSON.stringify(created.body)}`);
  const { id, secret } = created.body as { id: string; secret: string };
  const own = `${endpoints}/${id}`;
  const at = () => receiver.at(path);
  const log = (query?: string) => dispatcher.deliveries(company, id, query);
  return {
    company,
    created,
    id,
    secret,
    path: own,
    at,
    log,
    read: async () => (await dispatcher.call(company, 'get', own)).body,
    change: (given: object) => dispatcher.call(company, 'patch', own, given),
    remove: () => dispatcher.call(company, 'delete', own),
    on: (action: string, given?: object) => dispatcher.call(company, 'post', `${own}/${action}`, given),
    publish: (count = 1) =>
      dispatcher.publish(...Array.from({ length: count }, () => statusChanged([company.companyId]))),
    /** Waits until so many requests have arrived. */
    arrived: (count: number) =>
      eventually(() => {
        expect(at()).toHaveLength(count);
        return at();
      }),
    /** Waits until the log looks like this. */
    logged: (expected: object[], query?: string) =>
      eventually(async () => {
        const items = await log(query);
        expect(items).toMatchObject(expected);
        return items;
      }),
    /** Waits until so many deliveries have that status. */
    ended: (count: number, status: string) =>
      eventually(async () => expect(await log(`?limit=100&status=${status}`)).toHaveLength(count)),
  };
}
