import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { freePortBase, startInfra } from '@app/infra';
import { startSandboxProvider } from '@app/sandbox-provider';
import { makeKeys, portSpan } from '@app/start';
import { dropPlatform, dumpPlatform, withClient } from './dump.ts';
import { makeOldData, type OldData } from './old-data.ts';

/**
 * Makes the data of a release anew: `node tests/upgrade/make-fixture.ts <commit>`, on a clean
 * repository. It installs that commit beside this one, runs its launcher, makes the data of
 * `old-data.ts` through its public APIs, stops it, and writes every database, index and file, and
 * its OpenAPI documents, into `tests/upgrade/fixture`. To be run when a release has landed, with
 * the commit of that release.
 */
async function main(): Promise<void> {
  const [given = ''] = process.argv.slice(2);
  const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--verify', `${given}^{commit}`);
  const dir = mkdtempSync(join(tmpdir(), 'fixture-'));
  const tree = join(dir, 'tree');
  git('worktree', 'add', '--detach', tree, commit);
  try {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tree, stdio: 'inherit' });
    await record({ tree, dir, commit, fixture: join(root, 'tests', 'upgrade', 'fixture') });
  } finally {
    git('worktree', 'remove', '--force', tree);
    rmSync(dir, { recursive: true, force: true });
  }
}

const namespace = 'fixture-';

type Recording = { tree: string; dir: string; commit: string; fixture: string };

async function record({ tree, dir, commit, fixture }: Recording): Promise<void> {
  const infra = await startInfra({ dir: join(dir, 'infra'), say: console.log });
  const [sandbox, keys] = [await startSandboxProvider({ port: 0 }), makeKeys()];
  await dropPlatform(infra.mongodbUrl, namespace);
  const stackDir = join(dir, 'stack');
  const base = await freePortBase(portSpan + 1);
  const launcher = spawn(
    process.execPath,
    [join(tree, 'tools/start/main.ts'), '--no-demo', '--port-base', String(base)],
    {
      cwd: tree,
      env: {
        ...process.env,
        ...keys,
        ...{ MONGODB_URL: infra.mongodbUrl, AMQP_URL: infra.amqpUrl, NAMESPACE: namespace, STACK_DIR: stackDir },
        PROVIDER_SANDBOX_URL: sandbox.url,
        PROVIDER_POLL_INTERVAL: '1s',
        REMATCH_DELAY: '500ms',
        // The deliveries wait for their second attempt.
        WEBHOOK_RETRY_DELAYS: '60s,60s,60s,60s,60s',
      },
      stdio: 'inherit',
    },
  );
  const ended = once(launcher, 'exit');
  try {
    while (!existsSync(join(stackDir, 'stack.json'))) {
      if (launcher.exitCode !== null) throw new Error('the launcher of that commit ended');
      await new Promise((wake) => setTimeout(wake, 200));
    }
    process.env['STACK_DIR'] = stackDir;
    const made = await makeOldData();
    await deliveriesWait(infra.mongodbUrl);
    const documents = await openApiDocuments(stackDir);
    launcher.kill('SIGTERM');
    await ended;
    rmSync(fixture, { recursive: true, force: true });
    mkdirSync(fixture, { recursive: true });
    await dumpPlatform(infra.mongodbUrl, namespace, fixture);
    writeFileSync(join(fixture, 'openapi.json.gz'), gzipSync(JSON.stringify(documents), { level: 9 }));
    const data: OldData = { commit, madeAt: new Date().toISOString(), keys, ...made };
    writeFileSync(join(fixture, 'old-data.json'), `${JSON.stringify(data, null, 2)}\n`);
  } finally {
    if (launcher.exitCode === null) launcher.kill('SIGTERM');
    await ended;
    await dropPlatform(infra.mongodbUrl, namespace);
    await sandbox.close();
    await infra.stop();
  }
}

/** The OpenAPI documents of its APIs, which those of the next release must not break. */
async function openApiDocuments(stackDir: string): Promise<Record<'ticket' | 'ts', unknown>> {
  const { ticketApi, tsApi } = JSON.parse(readFileSync(join(stackDir, 'stack.json'), 'utf8')) as Record<string, string>;
  const read = async (origin: string | undefined) => (await fetch(`${origin}/openapi.json`)).json();
  return { ticket: await read(ticketApi), ts: await read(tsApi) };
}

/** Every delivery was tried once and failed, and everything that was published has arrived. */
async function deliveriesWait(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const deliveries = client.db(`${namespace}webhook-dispatcher`).collection('deliveries');
    for (let same = 0, before = 0; same < 10; ) {
      await new Promise((wake) => setTimeout(wake, 200));
      const count = await deliveries.countDocuments({ status: 'failed', tries: 1 });
      const all = await deliveries.countDocuments();
      same = count === all && count === before && count > 0 ? same + 1 : 0;
      before = count;
    }
  });
}

await main();
