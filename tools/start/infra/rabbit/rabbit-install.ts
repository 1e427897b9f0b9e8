import { existsSync, globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentOf, unpackPackages } from '../debian-packages.ts';
import type { FetchTools } from '../fetch.ts';
import { cacheDirectory, InfraError } from '../infra-server.ts';
import { findProgram, run } from '../processes/run.ts';
import { rabbitPackage } from '../versions.ts';
import { stablePath } from './stable-path.ts';

/** `env`: what its programs need besides the usual environment. */
export type RabbitPrograms = {
  server: string;
  control: string;
  epmd: string | undefined;
  env: NodeJS.ProcessEnv;
  how: string;
};

/** Of a call of `rabbitmqctl`: it starts an Erlang VM, which takes a minute on a busy machine. */
export const controlWithinMs = 10 * 60_000;

/** Debian's programs in /usr/sbin switch user; those that they wrap run as anyone. */
const places = ['/usr/lib/rabbitmq/bin', '/opt/homebrew/opt/rabbitmq/sbin', '/usr/local/opt/rabbitmq/sbin'];
const erlangFolder = 'usr/lib/erlang';

/**
 * RabbitMQ's programs: those of this machine, else those of Debian's packages, which are fetched once.
 * @throws InfraError saying what to install
 */
export async function findRabbitPrograms(tools: FetchTools): Promise<RabbitPrograms> {
  const installed = findProgram([...places.map((place) => join(place, 'rabbitmq-server')), 'rabbitmq-server']);
  if (installed) {
    const how = `RabbitMQ: ${installed} of this machine`;
    const epmd = findProgram(['epmd', '/usr/lib/erlang/bin/epmd']) ?? (await epmdOfErlang());
    return { server: installed, control: join(installed, '../rabbitmqctl'), epmd, env: {}, how };
  }
  const place = join(cacheDirectory(), 'rabbitmq-debian');
  const fetched = await findUnpacked(place);
  if (fetched) return { ...fetched, how: `RabbitMQ: Debian's packages, fetched before` };
  tools.say("fetching RabbitMQ from Debian's packages …");
  const failure = (await unpackPackages([rabbitPackage], place, tools)) ?? (await relocateErlang(place));
  const unpacked = await findUnpacked(place);
  if (unpacked && !failure) return { ...unpacked, how: `RabbitMQ: Debian's packages, fetched into ${place}` };
  throw new InfraError(
    `There is no RabbitMQ on this machine, and it cannot be fetched: ${failure ?? 'the packages hold no server'}.\n` +
      'Install it (https://www.rabbitmq.com/docs/download; on Debian and Ubuntu: apt-get install rabbitmq-server), ' +
      'or Docker, or set AMQP_URL.',
  );
}

async function epmdOfErlang(): Promise<string | undefined> {
  const ask = 'io:format("~s/erts-~s/bin/epmd",[code:root_dir(),erlang:system_info(version)]),halt().';
  const { ok, output } = await run('erl', ['-noshell', '-eval', ask], 10_000);
  return ok ? findProgram([output.trim()]) : undefined;
}

async function findUnpacked(folder: string): Promise<Omit<RabbitPrograms, 'how'> | undefined> {
  if (!existsSync(folder)) return undefined;
  // RabbitMQ's scripts fail at a path with spaces. Those of `usr/lib/rabbitmq/bin` are links, which they follow to such a path.
  const place = stablePath(folder);
  const [scripts = ''] = globSync('usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin', { cwd: place });
  const programs = join(place, scripts);
  const server = findProgram([join(programs, 'rabbitmq-server')]);
  const erl = await readFile(join(place, erlangFolder, 'bin/erl'), 'utf8').catch(() => '');
  // Another `npm start` may still be unpacking.
  if (!server || !erl.includes(place)) return undefined;
  const epmd = findProgram([join(place, erlangFolder, 'bin/epmd')]);
  return { server, control: join(programs, 'rabbitmqctl'), epmd, env: await environmentOf(place) };
}

/** Debian's Erlang has its path in a script: writes the new one there. */
async function relocateErlang(folder: string): Promise<string | undefined> {
  const place = stablePath(folder);
  const script = join(place, erlangFolder, 'bin/erl');
  const text = await readFile(script, 'utf8').catch(() => '');
  if (text.includes(place)) return undefined;
  if (!text.includes('ROOTDIR=/usr/lib/erlang')) return 'its Erlang is of another form than is known here';
  await writeFile(script, text.replaceAll('ROOTDIR=/usr/lib/erlang', `ROOTDIR=${join(place, erlangFolder)}`));
  return undefined;
}
