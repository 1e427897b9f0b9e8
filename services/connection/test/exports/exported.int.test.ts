import { newId } from '@app/kernel';
import { createRelay } from '@app/messaging';
import { createSecretBox } from '@app/runtime';
import { ensureIndexes, exportedRows, testDatabase, testLogger } from '@app/testing';
import { ConnectionStore } from '../../connections/connection-store.ts';
import { exportSources } from '../../exports/export-sources.ts';
import { JobStore } from '../../jobs/job-store.ts';
import { aKey } from '../service.ts';

test('connections come without their credentials, and those of others or deleted ones do not', async () => {
  const { connection: database, drop } = await testDatabase();
  const relay = createRelay({ broker: { publish: async () => undefined }, logger: testLogger() });
  const jobs = new JobStore({ database, relay, now: () => new Date() });
  const connections = new ConnectionStore({ database, secrets: createSecretBox([aKey()]), relay });
  await ensureIndexes(database);
  const [own, stranger] = [newId(), newId()];
  const ids: string[] = [];
  for (const [client, active] of [
    [own, true],
    [stranger, true],
    [own, false],
    [own, false],
  ] as const) {
    const given = { provider: 'sandbox', apiKey: 'the-api-key', webhookSecret: 'the-webhook-secret', active };
    const { id } = await connections.add({ ...given, id: newId(), client, at: new Date(), events: [] }, null);
    if (client === own) ids.push(id);
  }
  await connections.remove(ids.pop() as string, own, { at: new Date(), events: [] });
  const records = await database.collection('connections').find().toArray();
  const { rows, text } = await exportedRows(exportSources({ connections, jobs })['invoice_connections'], {
    id: own,
    kind: 'client',
  });
  expect(rows.map(({ id, hasCredentials }) => [id, hasCredentials])).toEqual(ids.map((id) => [id, true]));
  for (const { apiKey, webhookSecret } of records.filter(({ deleted }) => !deleted)) {
    for (const sealed of [apiKey, webhookSecret, 'the-api-key']) expect(text).not.toContain(sealed);
  }
  await drop();
});
