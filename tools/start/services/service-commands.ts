import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environmentWithFiles } from '@app/runtime';
import { type ServiceEntry, serviceTable } from '../service-table.ts';
import { serviceEnvironment } from '../settings/environment.ts';
import { keyNames, makeKeys } from '../settings/keys.ts';
import { compileCache, nodeEnvironment, programOf } from './node-settings.ts';

type Servers = { mongodb: string; amqp: string };

/** Runs commands of services' own programs (`main.ts migrate`), which know their databases, and prints what they say. */
export class ServiceCommands {
  /** Those that the environment names, or those of the running stack. @throws Error if there are none */
  readonly servers: Servers;
  readonly #root: string;
  readonly #stackDir: string;
  /** With the values of `<NAME>_FILE`, read here once: the programs are given the values. */
  readonly #env = environmentWithFiles(['MONGODB_URL', 'AMQP_URL', ...keyNames], process.env);

  constructor(root: string) {
    this.#root = root;
    this.#stackDir = this.#env['STACK_DIR'] || join(root, '.stack');
    this.servers = this.#findServers();
  }

  /** False if it failed. */
  async run(service: ServiceEntry, args: string[]): Promise<boolean> {
    const child = spawn(process.execPath, [programOf(this.#root, service), ...args], {
      // Keys that nobody gave are made up: no command gets one, but the settings have to be complete.
      env: {
        ...this.#compiled(),
        ...serviceEnvironment(service, serviceTable, {
          base: 4000,
          keys: { ...makeKeys(), ...this.#givenKeys() },
          ...this.servers,
          certificates: null,
          env: { LOG_LEVEL: 'warn', ...this.#env },
        }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (line) => console.log(`${service.name.padEnd(24)}${line}`));
    const [code] = await once(child, 'close');
    return code === 0;
  }

  /** The compiled code of a stack, if there is one: seconds less for each service. */
  #compiled(): Record<string, string> {
    return existsSync(compileCache(this.#stackDir)) ? nodeEnvironment(this.#stackDir) : {};
  }

  #findServers(): Servers {
    const { MONGODB_URL: mongodb, AMQP_URL: amqp } = this.#env;
    if (mongodb && amqp) return { mongodb, amqp };
    try {
      const found = JSON.parse(readFileSync(join(this.#stackDir, 'stack.json'), 'utf8')) as Servers;
      return { mongodb: mongodb ?? found.mongodb, amqp: amqp ?? found.amqp };
    } catch {
      throw new Error('no stack is running here: set MONGODB_URL and AMQP_URL');
    }
  }

  #givenKeys(): Record<string, string> {
    return Object.fromEntries(
      keyNames.flatMap((name) => {
        const value = this.#env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }
}
