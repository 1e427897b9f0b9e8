import { type ServiceName, serviceSettings } from '@app/ops';
import { describeSettings } from '@app/runtime';
import { type ServiceEntry, serviceTable } from '@app/start';

/** What Kubernetes has to know of a service. */
export type Workload = {
  name: ServiceName;
  /** Ports by their settings. */
  ports: Record<string, number>;
  /** Services that it calls. */
  calls: string[];
  /** Settings that hold their addresses. */
  addresses: Record<string, string>;
  /** Settings with the addresses that users see, from the ConfigMap `platform`. */
  publicUrls: string[];
  /** Its keys, its required secret settings, and those that may be empty, as files of its Secret. */
  secrets: string[];
  hasDatabase: boolean;
  /** Whether it calls hosts of others: receivers, AP providers, providers of single sign-on, mail. */
  callsOutside: boolean;
  queues: string[];
  /** Requests by their rate, events by their backlog. */
  scalesOn: 'cpu' | 'queues';
  memory: { request: string; limit: string };
};

export const opsPort = 9000;
/** Of a service that is scaled. */
export const minReplicas = 2;
export const maxReplicas = 10;
const port = 8080;
const gatewayPorts = { TICKET_API_PORT: 8080, TS_API_PORT: 8081, DOWNLOAD_PORT: 8082 };

const outside: ServiceName[] = ['webhook-dispatcher', 'connection', 'identity'];
const byQueues: ServiceName[] = ['webhook-dispatcher', 'connection', 'invoice-reconciliation'];
/** Secret settings that are no key and not required, and that every installation decides on: empty, they mean none. */
const mayBeEmpty = ['SMTP_URL'];

/**
 * The most MB that were seen resident: in docs/reliability.md (overload), for the dispatcher in docs/performance.md (deliveries beside a
 * million). Services without a figure of their own were below 170.
 */
const seenMb: Partial<Record<ServiceName, number>> = {
  gateway: 248,
  identity: 176,
  ticket: 204,
  'webhook-dispatcher': 211,
};

/** The workloads, from the table by which `npm start` runs the services and the schemas by which they read their settings. */
export const workloads: Workload[] = serviceTable.map((entry) => workloadOf(entry, entry.name as ServiceName));

function workloadOf({ addresses = {}, keys, database, queues }: ServiceEntry, name: ServiceName): Workload {
  const settings = describeSettings(serviceSettings[name].settingSchemas);
  return {
    name,
    ports: name === 'gateway' ? gatewayPorts : { PORT: port },
    calls: Object.values(addresses),
    addresses: Object.fromEntries(
      Object.entries(addresses).map(([setting, target]) => [setting, `http://${target}:${port}`]),
    ),
    publicUrls: settings.flatMap((one) => (/^PUBLIC_\w+_URL$/.test(one.name) ? one.name : [])),
    secrets: settings.flatMap((one) =>
      isGivenAsFile(one) || [...keys, ...mayBeEmpty].includes(one.name) ? one.name : [],
    ),
    hasDatabase: database,
    callsOutside: outside.includes(name),
    queues: queues.map((queue) => `${name}.${queue}`),
    scalesOn: byQueues.includes(name) ? 'queues' : 'cpu',
    memory: memoryOf(name),
  };
}

/** A quarter more than was seen, in steps of 64 MB; at most 512 MB, which no service may need under overload. */
function memoryOf(name: ServiceName): Workload['memory'] {
  // It reads documents in processes of their own. All of them together were not measured: this is an estimate.
  if (name === 'invoice-reconciliation') return { request: '384Mi', limit: '1Gi' };
  const request = Math.ceil(((seenMb[name] ?? 170) * 1.25) / 64) * 64;
  return { request: `${request}Mi`, limit: '512Mi' };
}

/** The public keys are no secret, and are kept with the private one: they are rotated together. */
function isGivenAsFile({
  name,
  isRequired,
  isSecret,
}: {
  name: string;
  isRequired: boolean;
  isSecret: boolean;
}): boolean {
  return isRequired && (isSecret || name === 'INTERNAL_TOKEN_PUBLIC_KEYS');
}
