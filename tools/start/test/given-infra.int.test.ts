import { createServer } from 'node:http';
import { freePortBase } from '@app/start/infra';
import { testInfra, testNamespace } from '@app/testing';
import { connect } from 'amqplib';
import { MongoClient } from 'mongodb';
import { portSpan } from '../arguments.ts';
import { serviceTable } from '../service-table.ts';
import { describeTaken, portPlan, takenPorts } from '../settings/port-plan.ts';
import { emptyGivenInfra } from '../stack/empty-given-infra.ts';

test('--fresh on given infrastructure empties the databases and queues of the platform alone', async () => {
  const namespace = testNamespace();
  const { mongodbUrl, amqpUrl } = testInfra();
  const client = new MongoClient(mongodbUrl);
  const connection = await connect(amqpUrl);
  const channel = await connection.createChannel();
  const databases = { ours: client.db(`${namespace}identity`), other: client.db(`${namespace}other`) };
  for (const database of Object.values(databases)) await database.collection('things').insertOne({});
  await channel.assertExchange(`${namespace}domain-events`, 'topic');

  await emptyGivenInfra(serviceTable, { NAMESPACE: namespace, MONGODB_URL: mongodbUrl, AMQP_URL: amqpUrl });

  expect(await databases.ours.collection('things').countDocuments()).toBe(0);
  expect(await databases.other.collection('things').countDocuments()).toBe(1);
  channel.on('error', () => {});
  await expect(channel.checkExchange(`${namespace}domain-events`)).rejects.toThrow('404');
  await databases.other.dropDatabase();
  await client.close();
  await connection.close();
});

test('a port that is taken is named, with its purpose and what to do', async () => {
  const base = await freePortBase(portSpan + 1);
  const server = createServer().listen(base + 31, '127.0.0.1');
  const plan = portPlan({ base, services: serviceTable, host: '127.0.0.1', env: {} });
  const said = await describeTaken(await takenPorts(plan), base);
  server.close();
  expect(said).toContain(`  ${base + 31} (health and metrics of identity) is taken by pid ${process.pid}`);
  expect(said).toContain(`--port-base ${base + 100}`);
});
