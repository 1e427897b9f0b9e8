import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { addDemoData } from '@app/start';
import { stack } from './platform.ts';

const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
/** The block that sets the addresses is the one of the main flow. */
const flow = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
  .map(([, block = '']) => block)
  .find((one) => one.startsWith('API='));

test('the main flow of the README does what its comments say', async () => {
  const { ticketApi, tsApi, adminToken } = stack();
  const said: string[] = [];
  const accounts = await addDemoData({ ticketApi, tsApi, adminToken, env: {}, say: (line) => said.push(line) });
  expect({ accounts: accounts.length, said }).toEqual({ accounts: 4, said: [] });

  const script = (flow ?? '').replace('http://127.0.0.1:4000', ticketApi).replace('http://127.0.0.1:4001', tsApi);
  const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script]);
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
}, 60_000);
