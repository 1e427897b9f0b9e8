import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createProcesses,
  findDocker,
  findMongo,
  findRabbit,
  freePort,
  hasImage,
  images,
  quorumTickArguments,
} from '@app/start/infra';
import { connect } from 'amqplib';
import { MongoClient } from 'mongodb';
import { GenericContainer, Wait } from 'testcontainers';
import { newDataFolder } from './data-folder.ts';

export type TestInfra = { mongodbUrl: string; amqpUrl: string; stop(): Promise<void> };

/**
 * The real MongoDB and RabbitMQ of a test run: those of MONGODB_URL and AMQP_URL, else testcontainers if a Docker engine
 * answers and has the images or can pull them, else local processes as the launcher starts them.
 */
export async function findInfra(): Promise<TestInfra> {
  const infra = await find();
  process.stdout.write(`The tests run on ${await versionsOf(infra)}.\n`);
  return infra;
}

async function find(): Promise<TestInfra> {
  const { MONGODB_URL: mongodbUrl, AMQP_URL: amqpUrl } = process.env;
  if (mongodbUrl && amqpUrl) return { mongodbUrl, amqpUrl, stop: async () => undefined };
  return (await dockerHasImages()) ? startContainers() : startLocally();
}

async function dockerHasImages(): Promise<boolean> {
  const docker = await findDocker();
  return (
    docker !== undefined &&
    (await hasImage(docker, images.mongodb, { say })) &&
    hasImage(docker, images.rabbitmq, { say })
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function startContainers(): Promise<TestInfra> {
  const [mongo, rabbit] = await Promise.all([
    new GenericContainer(images.mongodb)
      .withCommand(['--replSet', 'rs0', '--bind_ip_all'])
      .withExposedPorts(27017)
      .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/i))
      .start(),
    new GenericContainer(images.rabbitmq)
      .withExposedPorts(5672)
      .withEnvironment({ RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: quorumTickArguments })
      .withWaitStrategy(Wait.forLogMessage(/Server startup complete/))
      .start(),
  ]);
  const initiate =
    'rs.initiate({_id: "rs0", members: [{_id: 0, host: "localhost:27017"}]}); while (!db.hello().isWritablePrimary) sleep(100)';
  await mongo.exec(['mongosh', '--quiet', '--eval', initiate]);
  return {
    mongodbUrl: `mongodb://${mongo.getHost()}:${mongo.getMappedPort(27017)}/?directConnection=true`,
    amqpUrl: `amqp://guest:guest@${rabbit.getHost()}:${rabbit.getMappedPort(5672)}`,
    stop: async () => void (await Promise.all([mongo.stop(), rabbit.stop()])),
  };
}

/** As the launcher finds them, on free ports. They end with this process, however it ends. */
async function startLocally(): Promise<TestInfra> {
  const dir = await newDataFolder();
  const processes = createProcesses();
  const stop = async () => {
    await processes.close();
    await rm(dir, { recursive: true, force: true });
  };
  const ports = new Set<number>();
  while (ports.size < 4) ports.add(await freePort());
  const [mongoPort = 0, port = 0, distributionPort = 0, epmdPort = 0] = ports;
  try {
    const [mongo, rabbit] = await Promise.all([
      findMongo({ dataDir: join(dir, 'mongodb'), port: mongoPort, say, processes }),
      findRabbit({ dataDir: join(dir, 'rabbitmq'), port, distributionPort, epmdPort, say, processes }),
    ]);
    return { mongodbUrl: mongo.url, amqpUrl: rabbit.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function versionsOf({ mongodbUrl, amqpUrl }: TestInfra): Promise<string> {
  const mongo = await MongoClient.connect(mongodbUrl);
  const rabbit = await connect(amqpUrl);
  const { version } = await mongo.db('admin').command({ buildInfo: 1 });
  await Promise.all([mongo.close(), rabbit.close()]);
  return `MongoDB ${version}, RabbitMQ ${rabbit.connection.serverProperties.version}`;
}
