import type { Json } from './kustomize.ts';
import { opsPort, type Workload } from './workload.ts';

/** Where the Secret of a workload is mounted. */
const secretsFolder = '/run/secrets/platform';

/** DRAIN_DELAY (5 s in production) and the 20 s in which a service stops, with some room. */
const graceSeconds = 35;

/** Restricted Pod Security: no root, no writes, no capabilities, no privilege escalation. */
const containerSecurity = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
const podSecurity = {
  runAsNonRoot: true,
  runAsUser: 1000,
  runAsGroup: 1000,
  fsGroup: 1000,
  seccompProfile: { type: 'RuntimeDefault' },
};

export const labelsOf = (name: string) => ({ 'app.kubernetes.io/name': name });

/** The pod of a service. */
export function servicePod(workload: Workload): Json {
  const { name, memory } = workload;
  return {
    metadata: { labels: { ...labelsOf(name), 'app.kubernetes.io/part-of': 'facility-platform' } },
    spec: {
      ...podOf(workload.secrets.length > 0 ? `${name}-secrets` : null),
      serviceAccountName: name,
      terminationGracePeriodSeconds: graceSeconds,
      topologySpreadConstraints: ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
        maxSkew: 1,
        topologyKey,
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: labelsOf(name) },
      })),
      containers: [
        {
          name,
          image: `facility-platform/${name}`,
          env: environmentOf(workload),
          ports: [...Object.entries(workload.ports), ['OPS_PORT', opsPort]].map(([setting, containerPort]) => ({
            name: portName(String(setting)),
            containerPort,
          })),
          // Migrations may take long: until they are done the service is alive and not ready.
          startupProbe: probe('/healthz', { periodSeconds: 2, failureThreshold: 60 }),
          livenessProbe: probe('/healthz', { periodSeconds: 10, failureThreshold: 6 }),
          readinessProbe: probe('/readyz', { periodSeconds: 2, failureThreshold: 2 }),
          resources: {
            requests: { cpu: '250m', memory: memory.request },
            limits: { cpu: '2', memory: memory.limit },
          },
          securityContext: containerSecurity,
          volumeMounts: workload.secrets.length > 0 ? mounts : mounts.filter(({ name }) => name === 'tmp'),
        },
      ],
    },
  };
}

/** The pod of commands of operators. */
export function operationsPod(name: string, secrets: string[], program: { args: string[] } | { command: string[] }) {
  return {
    metadata: { labels: { ...labelsOf(name), 'app.kubernetes.io/part-of': 'facility-platform' } },
    spec: {
      ...podOf(`${name}-secrets`),
      serviceAccountName: name,
      containers: [
        {
          name,
          image: 'facility-platform/operations',
          ...program,
          env: fileSettings(secrets),
          resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { cpu: '2', memory: '512Mi' } },
          securityContext: containerSecurity,
          volumeMounts: mounts,
        },
      ],
    },
  };
}

function podOf(secretName: string | null): Json {
  const secrets = secretName === null ? [] : [{ name: 'secrets', secret: { secretName, defaultMode: 0o440 } }];
  return {
    automountServiceAccountToken: false,
    // They would add variables for every Service of the namespace.
    enableServiceLinks: false,
    securityContext: podSecurity,
    volumes: [...secrets, { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
  };
}

const mounts = [
  { name: 'secrets', mountPath: secretsFolder, readOnly: true },
  { name: 'tmp', mountPath: '/tmp' },
];

function environmentOf({ ports, addresses, publicUrls, secrets }: Workload): Json[] {
  const plain = { NODE_ENV: 'production', OPS_PORT: opsPort, ...ports, ...addresses };
  return [
    ...Object.entries(plain).map(([name, value]) => ({ name, value: String(value) })),
    ...publicUrls.map((name) => ({ name, valueFrom: { configMapKeyRef: { name: 'platform', key: name } } })),
    ...fileSettings(secrets),
  ];
}

function fileSettings(secrets: string[]): Json[] {
  return secrets.map((name) => ({ name: `${name}_FILE`, value: `${secretsFolder}/${name}` }));
}

function probe(path: string, timing: Json): Json {
  return { httpGet: { path, port: 'ops' }, timeoutSeconds: 6, ...timing };
}

/** As the ports are called in a Service: `http`, `ticket-api`, `ops`. */
export function portName(setting: string): string {
  return setting === 'PORT'
    ? 'http'
    : setting
        .replace(/_PORT$/, '')
        .replaceAll('_', '-')
        .toLowerCase();
}
