import type { Delivery } from '../../deliveries/delivery.ts';
import type { NewDelivery } from '../../deliveries/delivery-store.ts';
import { createPendingInsert } from '../../sending/deferred-insert.ts';

const delivery = { id: 'd', status: 'pending' } as Delivery;
const lease = { id: 'mine', from: new Date(), until: new Date() };

function pending(result: Promise<boolean>) {
  const inserted: NewDelivery[] = [];
  const insert = createPendingInsert((entry: NewDelivery) => {
    inserted.push(entry);
    return result;
  });
  return { insert, inserted };
}

test('the first call inserts, and all others wait for it', async () => {
  const { insert, inserted } = pending(Promise.resolve(true));
  expect(insert.isStarted()).toBe(false);
  const first = insert.write({ delivery, lease });
  expect(insert.isStarted()).toBe(true);
  expect(await Promise.all([first, insert.write({ delivery, lease: null }), insert.done])).toEqual([true, true, true]);
  expect(inserted).toEqual([{ delivery, lease }]);
});

test('all callers get the failure', async () => {
  const { insert } = pending(Promise.reject(new Error('away')));
  const settled = await Promise.allSettled([insert.write({ delivery, lease: null }), insert.done]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('it waits for what must be stored before it, and counts as started meanwhile', async () => {
  const { insert, inserted } = pending(Promise.resolve(true));
  const before = Promise.withResolvers<void>();
  const first = insert.write({ delivery, lease: null }, before.promise);
  expect([insert.isStarted(), inserted]).toEqual([true, []]);
  before.resolve();
  expect(await first).toBe(true);
  expect(inserted).toHaveLength(1);
});
