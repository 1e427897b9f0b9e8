import { type DomainEvent, exportPageRequested } from '@app/contracts';
import { exportSubscription } from '@app/service/export';
import { eventFixture } from '@app/testing';

test('a kind that only a newer version knows waits for one of its replicas', async () => {
  const event = eventFixture(exportPageRequested) as DomainEvent<{ service: string }>;
  const broker = { publish: () => Promise.reject(new Error('nothing is to be published')) };
  const { table } = exportSubscription({ service: event.data.service, sources: {}, broker });
  const handled = table[0]?.handle(event as never);
  await expect(handled).rejects.toMatchObject({ kind: 'invalid', code: 'message_unknown' });
});
