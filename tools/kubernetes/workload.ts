import { describeSettings } from '@app/runtime';
import { type ServiceName, serviceSettings } from '@app/settings';
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
  /** Its keys and required secret settings, as files of its Secret. */
  secrets: string[];
  hasDatabase: boolean;
  /** Whether it calls hosts of others: receivers, AP providers, providers of single sign-on, mail. */
  callsOutside: boolean;
  queues: string[];
  /** Requests by their rate, events by their backlog. */
  scalesOn: 'cpu' | 'queues';
  /** As measured: docs/deployment.md. */
  memory: { request: string; limit: string };
};

export const opsPort = 9000;
const port = 8080;
const gatewayPorts = { TICKET_API_PORT: 8080, TS_API_PORT: 8081, DOWNLOAD_PORT: 8082 };

const outside: ServiceName[] = ['webhook-dispatcher', 'connection', 'identity'];
const byQueues: ServiceName[] = ['webhook-dispatcher', 'connection', 'invoice-reconciliation'];
/** It reads invoices in processes of their own. */
const large: ServiceName[] = ['invoice-reconciliation'];

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
    secrets: settings.flatMap((one) => (isGivenAsFile(one) || (keys as string[]).includes(one.name) ? one.name : [])),
    hasDatabase: database,
    callsOutside: outside.includes(name),
    queues: queues.map((queue) => `${name}.${queue}`),
    scalesOn: byQueues.includes(name) ? 'queues' : 'cpu',
    memory: large.includes(name) ? { request: '384Mi', limit: '1Gi' } : { request: '256Mi', limit: '512Mi' },
  };
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
