import { rmSync } from 'node:fs';
import { relative } from 'node:path';
import { platformQueues, type QueueTable } from '@app/contracts';
import { addDemoData } from '@app/demo';
import { replaceQueues } from '@app/messaging';
import type { InfraServer } from '../infra/index.ts';
import { buildServices } from '../services/build-services.ts';
import { compileServices } from '../services/node-settings.ts';
import { type ServicesOptions, startService, startServices } from '../services/start-services.ts';
import { supervise } from '../services/supervise.ts';
import { trustedCertificates } from '../settings/certificates.ts';
import { externalAddress, gatewayAddresses, publicAddresses, type StackSettings } from '../settings/environment.ts';
import { loadKeys, writePrivately } from '../settings/keys.ts';
import { describeTaken, portPlan, takenPorts } from '../settings/port-plan.ts';
import { buildGuideIfOutdated } from './build-guide.ts';
import { fillDemoWeek, startDemoExternalSystems } from './demo-week.ts';
import { emptyGivenInfra } from './empty-given-infra.ts';
import type { Stack } from './stack.ts';
import { emptyStackInfra, type StackInfra, startStackInfra } from './start-stack-infra.ts';
import { summary } from './summary.ts';

const previousStopMs = 30_000;

/** Starts everything, from an empty folder to a platform that answers. @throws Error saying what does not work */
export async function startStack(stack: Stack): Promise<void> {
  const { stackDir, env, output, services, processes, root } = stack;
  const { portBase: base, fresh, demo, isOffline } = stack.arguments;
  const startedAt = Date.now();
  rmSync(stack.stackFile, { force: true });
  const keys = loadKeys(stackDir, env);
  const certificates = await trustedCertificates(stackDir, env);
  await checkPorts(stack);
  if (fresh) await emptyStackInfra(stackDir);
  const [infra] = await Promise.all([
    startStackInfra({ stackDir, base, isOffline, processes, output }),
    compileServices({ root, stackDir, services, processes }),
    buildServices({ root, services, processes, output }),
  ]);
  for (const one of infra) superviseInfra(stack, one);
  if (fresh) for (const done of await emptyGivenInfra(services, env)) output.log(`--fresh: ${done}`);
  const [mongodb, amqp] = infra.map(({ server }) => server.url) as [string, string];
  await replaceChangedQueues(stack, amqp);
  const externalSystems = await startDemoExternalSystems(stack);
  const settings: StackSettings = { base, keys, mongodb, amqp, certificates, env };
  await startSupervisedServices(stack, { root, stackDir, services, settings, processes, output });
  const addresses = publicAddresses(base, env);
  const adminToken = keys.PLATFORM_ADMIN_TOKEN;
  const accounts = demo ? await addDemoData({ ...gatewayAddresses(base), adminToken, env, say: output.error }) : [];
  processes.removeAtEnd(stack.stackFile);
  const sandbox = externalAddress('PROVIDER_SANDBOX_URL', services, settings);
  const flows = externalAddress('PROVIDER_AFNOR_URL', services, settings);
  const pages = services.some(({ name }) => name === 'console') ? { console: `${addresses.tsApi}/console` } : {};
  writeStackFile(stack, {
    ...addresses,
    ...pages,
    mongodb,
    amqp,
    adminToken,
    ...(sandbox && { providerSandbox: sandbox }),
    ...(flows && { approvedPlatform: flows }),
  });
  const seconds = (Date.now() - startedAt) / 1000;
  // For people who try things out; tests that read it build it themselves.
  if (demo) void buildGuideIfOutdated({ root, processes, output });
  output.log(`\nready after ${seconds.toFixed(1)} s`);
  const text = summary({ addresses, accounts, services, env, stackFile: relative(root, stack.stackFile) });
  output.log(text);
  if (!externalSystems || accounts.length === 0) return;
  // Lines of many minutes may have pushed it out of sight.
  const filled = await fillDemoWeek(stack, externalSystems, { adminToken, mongodb });
  if (filled && output.isForPerson) output.log(text);
}

/** Before anything consumes them. Databases are migrated by the services themselves. */
async function replaceChangedQueues({ services, env, output }: Stack, url: string): Promise<void> {
  const table = Object.fromEntries(
    Object.entries(platformQueues as QueueTable).filter(([name]) => services.some((service) => service.name === name)),
  );
  for (const { queue, result, moved } of await replaceQueues({ url, namespace: env['NAMESPACE'] ?? '', table }))
    output.log(
      result === 'replaced'
        ? `the queue ${queue} has new arguments now; ${moved} messages moved`
        : `the queue ${queue} keeps its former arguments: somebody else consumes it`,
    );
}

async function checkPorts({ arguments: { portBase: base }, services, env, tookOver, output }: Stack): Promise<void> {
  const plan = portPlan({ base, services, host: env['HOST'] ?? '127.0.0.1', env });
  let taken = await takenPorts(plan);
  if (taken.length > 0 && tookOver)
    output.log('the last start was cut off: waiting until what it started has stopped …');
  const deadline = Date.now() + (tookOver ? previousStopMs : 0);
  while (taken.length > 0 && Date.now() < deadline) {
    await new Promise((wake) => setTimeout(wake, 200));
    taken = await takenPorts(plan);
  }
  if (taken.length > 0) throw new Error(await describeTaken(taken, base));
}

/** Restarts MongoDB or RabbitMQ on the same data and port if it ends. */
function superviseInfra(stack: Stack, { name, server, restart }: StackInfra): void {
  const processOf = (found: InfraServer) => {
    if (!found.process) throw new Error('it is found elsewhere now');
    return found.process;
  };
  if (!server.process) return;
  const running = server.process;
  stack.infra.push(supervise({ ...hooks(stack), name, running, restart: async () => processOf(await restart()) }));
}

async function startSupervisedServices(stack: Stack, options: ServicesOptions): Promise<void> {
  for (const { entry, running } of await startServices(options)) {
    const restart = () => startService(entry, options);
    stack.running.push(supervise({ ...hooks(stack), name: entry.name, running, restart }));
  }
}

function hooks(stack: Stack) {
  return { logError: stack.output.error, fail: stack.fail, onRestart: () => stack.pidsChanged?.() };
}

function writeStackFile(stack: Stack, fields: Record<string, string>): void {
  const write = () => {
    const pids = Object.fromEntries(stack.running.map((service) => [service.name, service.pid()]));
    writePrivately(stack.stackFile, `${JSON.stringify({ ...fields, pids }, null, 2)}\n`);
  };
  write();
  stack.pidsChanged = write;
}
