import { MongoClient, MongoServerError } from 'mongodb';

const notYetInitiated = 94;

/** One attempt to make the server at `url` the primary of a set of itself alone. @throws Error until it is */
export async function ensureReplicaSet(url: string, member: string): Promise<void> {
  await withAdmin(url.replace('replicaSet=rs0&', ''), async (command) => {
    try {
      const { config } = (await command({ replSetGetConfig: 1 })) as { config: ReplicaSetConfig };
      if (config.members[0]?.host !== member) await reconfigure(command, config, member);
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== notYetInitiated) throw error;
      await command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: member }] } });
    }
    const hello = await command({ hello: 1 });
    if (hello['isWritablePrimary'] !== true) throw new Error('it is not the primary yet');
  });
}

/** @throws Error if the server does not answer, or could not run transactions */
export async function checkReplicaSet(url: string): Promise<void> {
  await withAdmin(url, async (command) => {
    const hello = await command({ hello: 1 });
    if (!hello['setName'] && hello['msg'] !== 'isdbgrid') {
      throw new Error('it is no replica set, so it has no transactions: start it with --replSet and initiate it');
    }
  });
}

/** Drops the databases named, on a server that is not ours to empty as a whole. */
export async function dropDatabases(url: string, names: string[]): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    for (const name of names) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}

type ReplicaSetConfig = { version: number; members: { host: string }[] };
type RunCommand = (command: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** The port has changed since the last start: a member that is not in its own configuration refuses everything. */
async function reconfigure(command: RunCommand, config: ReplicaSetConfig, member: string): Promise<void> {
  const members = [{ ...config.members[0], host: member }];
  await command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
}

async function withAdmin(url: string, use: (command: RunCommand) => Promise<void>): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000 });
  try {
    const admin = client.db('admin');
    await use((command) => admin.command(command));
  } finally {
    await client.close();
  }
}
