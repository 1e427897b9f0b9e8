import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startPlatform, type TestPlatform } from '../../setup/platform.ts';
import { newCompany, newTicket, pdfForm, stack } from '../platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform('upload');
  process.env['STACK_DIR'] = platform.dir;
});
afterAll(() => platform.stop());

test('twenty files of 20 MiB at once grow gateway and purchase service by at most 150 MB', async () => {
  const client = await newCompany('client');
  const ticket = await newTicket(client);
  const newOrder = async (): Promise<string> => {
    const order = { kind: 'purchase_order', reference: randomUUID() };
    return (await client.api(`POST ${ticket}/purchases`, order)).data.purchase.id;
  };
  const ids = await Promise.all(Array.from({ length: 20 }, newOrder));
  const size = 20 * 1024 * 1024;
  const residentMb = () =>
    ['gateway', 'purchase'].reduce((sum, name) => {
      const status = readFileSync(`/proc/${stack().pids[name]}/status`, 'utf8');
      return sum + Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    }, 0);
  const file = pdfForm({}, size).get('file') as Blob;
  const before = residentMb();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentMb());
  }, 100);
  const upload = async (id: string): Promise<number> => {
    const form = new FormData();
    form.append('file', file, 'commande.pdf');
    const { status } = await client.api(`POST ${ticket}/purchases/${id}/document`, form);
    // 504 says that a busy machine took too long, and that the request may be repeated.
    return status === 504 ? upload(id) : status;
  };
  const statuses = await Promise.all(ids.map(upload)).finally(() => clearInterval(watch));
  expect(statuses).toEqual(Array(20).fill(200));
  expect(most - before).toBeLessThanOrEqual(150);
  const [id = ''] = ids;
  const larger = await client.api(`POST ${ticket}/purchases/${id}/document`, pdfForm({}, size + 1));
  expect([larger.status, larger.data.code]).toEqual([413, 'purchase_file_limit_file_size']);
});
