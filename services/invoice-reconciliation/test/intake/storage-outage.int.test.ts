import { mkdir, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { invoiceFetched } from '@app/contracts';
import { eventually } from '@app/testing';
import { type Service, startService } from '../reconciliation.ts';

let home: string;
let service: Service;
const folder = () => join(home, 'files');
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'storage-outage-'));
  service = await startService({ storageUrl: pathToFileURL(folder()).href });
});
afterAll(async () => {
  await service.drop();
  await service.stop();
  await rm(home, { recursive: true });
});

/** As if the disk were not mounted: a file instead of the folder. */
async function unmount(): Promise<void> {
  await rename(folder(), join(home, 'elsewhere'));
  await writeFile(folder(), '');
}

async function mount(): Promise<void> {
  await rm(folder());
  await rename(join(home, 'elsewhere'), folder());
}

const tries = () => service.logged().split('message will be retried').length - 1;

test('after an outage of the storage changed invoices go to review and new ones are matched', async () => {
  const { id, order, ticket } = await service.world();
  const references = { purchase_order: order };
  const linked = await service.ingest(id, { number: 'F-1', references });
  const waiting = await service.ingest(id, { number: 'F-2', amounts: { ht: '7.00', tva: '1.40', ttc: '8.40' } });
  expect([linked.state, waiting.state]).toEqual(['feedback_pending', 'ticket_unmatched']);
  const changed = await service.payload(
    id,
    { number: 'F-1', references, amounts: { ht: '90.00', tva: '18.00', ttc: '108.00' } },
    { external_id: linked.external_id },
  );
  const restarted = await service.payload(id, { number: 'F-2b' }, { external_id: waiting.external_id });
  const fresh = await service.payload(id, { number: 'F-3' });
  await unmount();
  await service.publish(invoiceFetched, changed, restarted, fresh);
  // Each of the three more often than an own failure would be retried.
  await eventually(() => expect(tries()).toBeGreaterThan(3 * 6));
  expect(await service.invoice(changed)).toMatchObject({ state: 'feedback_pending', ticket_id: ticket.id });
  expect(await service.invoice(restarted)).toMatchObject({ state: 'ticket_unmatched' });
  expect(await service.invoice(fresh)).toBeNull();
  await mount();
  await eventually(async () => {
    expect(await service.invoice(changed)).toMatchObject({ state: 'manual_review', reasons: ['changed_after_link'] });
    expect(await service.invoice(restarted)).toMatchObject({ canonical: { number: 'F-2b' } });
    expect(await service.invoice(fresh)).toMatchObject({ canonical: { number: 'F-3' } });
  });
  expect(service.logged()).not.toContain('message dead-lettered');
});

const stored = async () =>
  (await readdir(folder(), { recursive: true, withFileTypes: true })).flatMap((one) => (one.isFile() ? one.name : []));

test('files that newer content replaced are removed when the message comes again, if the primary died meanwhile', async () => {
  const { id, order } = await service.world();
  const references = { purchase_order: order };
  const linked = await service.ingest(id, { number: 'F-4', references });
  const { key } = linked.content.raw;
  // A file that cannot be removed stays, as after a crash between the write and the removal.
  const path = join(folder(), key.slice(0, 2), key);
  await rm(path);
  await mkdir(path);
  const changed = await service.payload(
    id,
    { number: 'F-4', references, status: 'taken_in_charge' },
    { external_id: linked.external_id },
  );
  await service.publish(invoiceFetched, changed);
  await eventually(async () => {
    expect(await service.invoice(changed)).toMatchObject({
      content: { raw: { key: changed.raw.key } },
      replaced_files: [key],
    });
    expect(service.logged()).toContain('an unused file of an invoice could not be removed');
  });
  await rmdir(path);
  await writeFile(path, 'the former content');
  const [again] = await service.publish(invoiceFetched, changed);
  await eventually(() => expect(service.handled).toContain(again));
  // Written without waiting for a majority.
  await eventually(async () => expect(await service.invoice(changed)).toMatchObject({ replaced_files: [] }));
  expect(await stored()).not.toContain(key);
  expect(await stored()).toContain(changed.raw.key);
});
