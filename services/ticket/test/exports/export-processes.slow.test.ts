import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { type ExportProcesses, named, startExportProcesses } from './export-processes.ts';

const mib = 1024 * 1024;

let platform: ExportProcesses;

beforeAll(async () => {
  platform = await startExportProcesses();
});
beforeEach(() => {
  platform.others = () => ({});
});
afterEach(() => platform.killAll());
afterAll(() => platform.stop());

/** The key of a stored file of random bytes, which nothing compresses. */
async function aFile(bytes: number): Promise<string> {
  const content = Readable.from([randomBytes(bytes)]);
  return (await platform.storage.put(content, { name: 'a.bin', type: 'application/pdf' })).key;
}

const exportRecords = () => platform.connection.collection<{ _id: string; dueAt?: Date }>('exports');

test('processes that share an export while one after the other is killed lose no page and double none', async () => {
  const company = platform.company();
  const pages = 60;
  let asked = 0;
  const page = (n: number) => ({ count: 2, lines: `{"n":${n}}\n{"n":${n + 0.5}}\n` });
  platform.others = ({ kind, after }) => {
    if (kind !== 'invoices') return {};
    asked += 1;
    const n = after === null ? 0 : Number(after);
    return { ...page(n), next: n + 1 < pages ? String(n + 1) : null };
  };
  let [current, next] = [await platform.start(), await platform.start()];
  const id = await platform.begin(current, company);
  for (const reached of [10, 30]) {
    await eventually(() => expect(asked).toBeGreaterThan(reached));
    await current.kill();
    [current, next] = [next, await platform.start()];
    // A page that died with its process is asked for again after a while.
    await exportRecords().updateOne({ _id: id, state: 'collecting' } as never, { $set: { dueAt: new Date() } });
  }
  await platform.done(current, id);
  const lines = String((await platform.download(next, id)).get('invoices.jsonl'))
    .split('\n')
    .filter(Boolean);
  expect(lines.map((line) => JSON.parse(line).n)).toEqual(Array.from({ length: 2 * pages }, (_, n) => n / 2));
});

test('an export of many tickets and 200 MiB of files is never in memory', async () => {
  const [process, company] = [await platform.start(), platform.company()];
  const ticketId = await platform.newTicket(process, company);
  const tickets = platform.connection.collection<{ _id: string; number: string }>('tickets');
  const one = await tickets.findOne({ _id: ticketId });
  if (!one) throw new Error('the ticket is not stored');
  const copies = Array.from({ length: 1_500 }, (_, n) => ({ ...one, _id: newId(), number: `C-${n}` }));
  await tickets.insertMany(copies as never);
  const files: string[] = [];
  // One after the other: a busy machine may not store 20 of them in time.
  while (files.length < 20) files.push(await aFile(10 * mib));
  const line = `${JSON.stringify({ text: randomBytes(96 * 1024).toString('hex') })}\n`;
  const pages = 60;
  platform.others = ({ kind, after }) => {
    const n = after === null ? 0 : Number(after);
    if (kind === 'purchases') return { count: 1, lines: '{}\n', files: files.map(named) };
    return kind === 'invoices' ? { count: 1, lines: line, next: n + 1 < pages ? String(n + 1) : null } : {};
  };
  const reads = platform.s3.watchReads();
  const id = await platform.begin(process, company);
  const { progress, size } = await platform.done(process, id);
  const counts = Object.fromEntries(progress.kinds.map(({ kind, count }: never) => [kind, count]));
  expect(counts).toMatchObject({ tickets: 1_501, invoices: pages });
  expect(size).toBeGreaterThan(200 * mib);
  // At most a file, parts of 5 MiB, and what is in buffers.
  expect(reads().mostAhead).toBeLessThan(32 * mib);
  expect(reads().bytes).toBeGreaterThanOrEqual(files.length * 10 * mib);
}, 600_000);
