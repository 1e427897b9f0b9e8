import { rm } from 'node:fs/promises';
import { findDocker, hasImage, images, quorumTickArguments, serverVersions, startInfra } from '@app/start/infra';
import { GenericContainer, Wait } from 'testcontainers';
import { newDataFolder } from './data-folder.ts';

export type TestInfra = { mongodbUrl: string; amqpUrl: string; stop(): Promise<void> };

/**
 * The real MongoDB and RabbitMQ of a test run: those of MONGODB_URL and AMQP_URL, else testcontainers if a Docker engine
 * answers and has the images or can pull them, else local processes as the launcher starts them.
 */
export async function findInfra(): Promise<TestInfra> {
  const infra = await find();
  process.stdout.write(`The tests run on ${await serverVersions(infra)}.\n`);
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

async function startLocally(): Promise<TestInfra> {
  const dir = await newDataFolder();
  const infra = await startInfra({ dir, say });
  return {
    ...infra,
    async stop() {
      await infra.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
