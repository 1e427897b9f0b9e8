import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SandboxProvider, startSandboxProvider } from '@app/demo';
import { makeKeys } from '@app/start';
import { type Receiver, startReceiver, testInfra } from '@app/testing';
import type { Db } from 'mongodb';
import { type Account, newAccount } from '../e2e/invoicing.ts';
import { logIn, type Member } from '../e2e/platform.ts';
import { startPlatform, type TestPlatform } from '../setup/platform.ts';
import { runProgram } from '../setup/run-program.ts';
import { copyDatabase, type DatabaseCopy, dropPlatform, restoreDatabase, withClient } from './database-copy.ts';

/** A platform that is stopped and started again on its data, of which single databases are put back to an earlier state. */
export class RestoredPlatform {
  readonly namespace = `restore${process.pid}-`;
  readonly receiver: Receiver;
  readonly provider: SandboxProvider;
  readonly #tls: string;
  readonly #env: NodeJS.ProcessEnv;
  #platform: TestPlatform | null = null;

  private constructor(receiver: Receiver, sandbox: SandboxProvider, tls: string) {
    this.receiver = receiver;
    this.provider = sandbox;
    this.#tls = tls;
    this.#env = {
      NAMESPACE: this.namespace,
      ...makeKeys(),
      NODE_EXTRA_CA_CERTS: join(tls, 'ca.pem'),
      PROVIDER_SANDBOX_URL: sandbox.url,
    };
  }

  static async start(): Promise<RestoredPlatform> {
    // Of its own: a stack has another authority each time it starts in a new folder.
    const tls = mkdtempSync(join(tmpdir(), 'restore-tls-'));
    const platform = new RestoredPlatform(await startReceiver([], tls), await startSandboxProvider({ port: 0 }), tls);
    try {
      await platform.startAgain();
      return platform;
    } catch (error) {
      await platform.close();
      throw error;
    }
  }

  async startAgain(): Promise<void> {
    this.#platform = await startPlatform('restore', this.#env);
    process.env['STACK_DIR'] = this.#platform.dir;
  }

  async stop(): Promise<void> {
    await this.#platform?.stop();
    this.#platform = null;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.receiver.close();
    await this.provider.close();
    rmSync(this.#tls, { recursive: true, force: true });
    await dropPlatform(testInfra().mongodbUrl, this.namespace);
  }

  copy(service: string): Promise<DatabaseCopy> {
    return copyDatabase(testInfra().mongodbUrl, `${this.namespace}${service}`);
  }

  restoreDatabase(service: string, copy: DatabaseCopy): Promise<void> {
    return restoreDatabase(testInfra().mongodbUrl, `${this.namespace}${service}`, copy);
  }

  read<T>(service: string, work: (database: Db) => Promise<T>): Promise<T> {
    return withClient(testInfra().mongodbUrl, (client) => work(client.db(`${this.namespace}${service}`)));
  }

  /** `npm run ops -- restored` with these arguments. */
  restored(...args: string[]): Promise<string> {
    return this.#run('tools/ops/main.ts', ['restored', ...args]);
  }

  deadLetters(): Promise<string> {
    return this.#run('tools/ops/main.ts', ['dead-letters', 'list']);
  }

  /** Beside this process, whose connections stay in use. */
  #run(program: string, args: string[]): Promise<string> {
    const { mongodbUrl: MONGODB_URL, amqpUrl: AMQP_URL } = testInfra();
    return runProgram(program, args, { env: { ...process.env, MONGODB_URL, AMQP_URL, NAMESPACE: this.namespace } });
  }
}

/** The same people and the same account, on the platform that runs now. */
export async function logInAgain<M extends Member>(member: M): Promise<M> {
  return { ...member, ...(await logIn(member)) };
}

export function addAccountAgain(client: Member, { apiKey, secret }: Account): Promise<Account> {
  return newAccount(client, { apiKey, secret });
}
