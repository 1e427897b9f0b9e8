import { PendingUploads } from '@app/storage';
import { restoredDatabase } from '../../restore/restored-database.ts';
import { usePurchases } from '../purchase-service.ts';

const service = usePurchases();

test('a file that was being uploaded at the backup stays: the ticket may have it since', async () => {
  const buyer = service.as();
  const ticket = service.tickets.add(buyer.id);
  const order = (await buyer.create(ticket.id)).data.purchase;
  await buyer.attach(ticket.id, order.id);
  const key = service.tickets.pushed.at(-1)?.document?.file.key as string;
  // As in a backup that was made during the upload.
  await service.connection.collection('uploads').insertOne({ _id: key as never, at: new Date(0) });
  const restore = { restore_id: 'r', service: 'purchase', epoch: Date.now(), since: new Date(0).toISOString() };
  await restoredDatabase.raise(service.connection, restore);
  const connection = service.connection.useDb(service.connection.name, { useCache: false });
  await new PendingUploads({
    connection,
    storage: service.storage,
    logger: service.logger,
    now: () => new Date(),
  }).sweep();
  expect(await service.storage.stat(key)).not.toBeNull();
});
