import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { freePort } from '../../infra/ports.ts';
import { createProcesses } from '../../infra/processes/processes.ts';
import { findRabbit } from '../../infra/rabbit/rabbit.ts';

const folder = mkdtempSync(join(tmpdir(), 'a broker '));
const processes = createProcesses();
const given = process.env['AMQP_URL'];
beforeAll(() => delete process.env['AMQP_URL']);
afterAll(async () => {
  process.env['AMQP_URL'] = given;
  await processes.close();
  rmSync(folder, { recursive: true, force: true });
});

const startIn = async (dataDir: string) => {
  const [port, distributionPort, epmdPort] = [await freePort(), await freePort(), await freePort()];
  return findRabbit({ dataDir, port, distributionPort, epmdPort, say: () => {}, processes });
};

const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum' } };

test('a message in a quorum queue is still there after the folder was moved', async () => {
  const before = join(folder, 'before the move');
  const first = await startIn(before);
  const publisher = await connect(first.url);
  const channel = await publisher.createConfirmChannel();
  await channel.assertQueue('kept', quorum);
  channel.sendToQueue('kept', Buffer.from('a message'), { persistent: true });
  await channel.waitForConfirms();
  await publisher.close();
  await first.process?.stop();
  // At its next start the message goes from the log to a segment file, which the queue knows by its whole path.
  await (await startIn(before)).process?.stop();

  const after = join(folder, 'after the move');
  renameSync(before, after);
  const second = await startIn(after);
  const consumer = await connect(second.url);
  const message = await (await consumer.createChannel()).get('kept', { noAck: true });
  expect(message ? message.content.toString() : 'none').toBe('a message');
  await consumer.close();
  await second.process?.stop();
});
