import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addDemoData } from '@app/demo';
import { isHere } from '../../setup/run-program.ts';
import { caller, stack } from '../platform.ts';

/** Everything that the demo client sees, without pages. */
async function clientData({ email, password }: { email: string; password: string }) {
  const { data: session } = await caller(stack().tsApi)('POST /auth/login', { email, password });
  const api = caller(`${stack().ticketApi}/api/v3.0`, session.token);
  const read = async (list: string) => (await api(`GET /${list}?limit=200`)).data[list] as Record<string, unknown>[];
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

const recipes = readFileSync(join(__dirname, '../../../docs/recipes.md'), 'utf8');
/** The main flow is the block that sets the addresses. */
const flow = [...recipes.matchAll(/```sh\n([\s\S]*?)```/g)]
  .map(([, block = '']) => block)
  .find((one) => one.startsWith('API='));

// After the others: it needs the demo data, and adds a ticket to it.
if (isHere('curl', 'The flow of docs/recipes.md'))
  test('the flow of a purchasing system in the recipes does what its comments say', async () => {
    const { ticketApi, tsApi, adminToken } = stack();
    const said: string[] = [];
    const accounts = await addDemoData({ ticketApi, tsApi, adminToken, env: {}, say: (line) => said.push(line) });
    expect({ accounts: accounts.length, said }).toEqual({ accounts: 4, said: [] });

    const script = (flow ?? '').replace('http://127.0.0.1:4000', ticketApi).replace('http://127.0.0.1:4001', tsApi);
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script]);
    expect(stderr).toBe('');
    const lines = stdout.trim().split('\n');
    expect(lines).toEqual([
      'proposed',
      'waiting_contractor',
      'validated',
      expect.stringMatching(/^T-/),
      '%PDF-1.4',
      'false',
      'purchase_order',
      'PO-7',
      'planned',
      'done',
      'finished',
      'true',
      'closed',
      expect.stringMatching(/^whsec_/),
      'opened',
    ]);
  });
