import { addDemoData } from '@app/start';
import { caller, stack } from './platform.ts';

const titles = [
  'Chambre froide : température trop haute',
  'Ascenseur bloqué au premier étage',
  'Porte automatique bruyante',
];

/** Everything of the demo that its client sees; others on this platform, as the README's commands, add tickets of their own. */
async function clientData({ email, password }: { email: string; password: string }) {
  const { data: session } = await caller(stack().tsApi)('POST /auth/login', { email, password });
  const api = caller(`${stack().ticketApi}/api/v3.0`, session.token);
  const read = async (list: string) => {
    const all = (await api(`GET /${list}?limit=200`)).data[list] as Record<string, unknown>[];
    return list === 'tickets' ? all.filter(({ title }) => titles.includes(String(title))) : all;
  };
  const lists = ['contractors', 'locations', 'equipments', 'jobs', 'tickets'];
  return Object.fromEntries(await Promise.all(lists.map(async (list) => [list, await read(list)] as const)));
}

test('the demo data is added once, however often the platform starts', async () => {
  const { ticketApi, tsApi, adminToken } = stack();
  const said: string[] = [];
  const add = () => addDemoData({ ticketApi, tsApi, adminToken, env: {}, say: (text) => said.push(text) });
  const [account] = await add();
  const first = await clientData(account as { email: string; password: string });
  expect(await add()).toHaveLength(4);
  const second = await clientData(account as { email: string; password: string });

  expect(said).toEqual([]);
  expect(second['tickets']).toHaveLength(3);
  expect(second['tickets']?.map(({ status }) => status).sort()).toEqual(['assigned', 'opened', 'proposed']);
  expect(second['contractors']?.every(({ company_id, siret }) => company_id && siret)).toBe(true);
  const ids = (lists: typeof first) => Object.values(lists).map((list) => list.map(({ _id }) => _id));
  expect(ids(second)).toEqual(ids(first));
});

test('in production no demo data is added: its passwords are known to everyone', async () => {
  const { ticketApi, tsApi, adminToken } = stack();
  const said: string[] = [];
  const env = { NODE_ENV: 'production' };
  expect(await addDemoData({ ticketApi, tsApi, adminToken, env, say: (text) => said.push(text) })).toEqual([]);
  expect(said).toEqual([expect.stringContaining('production')]);
});
