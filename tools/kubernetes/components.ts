import { dashboards, ruleGroups } from '@app/monitoring';
import { additions, type Component, component, type Json, yaml } from './kustomize.ts';
import { tracingPolicy } from './network.ts';
import { labelsOf } from './pod.ts';
import { externalSecret, externalSecretOf } from './secrets.ts';
import { maxReplicas, minReplicas, type Workload, workloads } from './workload.ts';

const monitoringFolder = 'k8s/components/monitoring';
/** What the Prometheus of the chart kube-prometheus-stack looks for, if its release has that name. */
const selected = { release: 'kube-prometheus-stack' };

/** For the Prometheus operator, and for Grafana with the sidecar that loads dashboards by their label. */
export function monitoring(): Component {
  const monitors = workloads.map(({ name }) => ({
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name, labels: selected },
    spec: {
      selector: { matchLabels: labelsOf(name) },
      endpoints: [{ port: 'ops', path: '/metrics', interval: '15s' }],
    },
  }));
  const rules = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'facility-platform', labels: selected },
    spec: { groups: ruleGroups() },
  };
  return {
    folder: monitoringFolder,
    documents: [...monitors, rules],
    kustomization: {
      ...component(),
      configMapGenerator: [
        {
          name: 'dashboards',
          files: dashboards.map(({ file }) => `dashboards/${file}`),
          options: { disableNameSuffixHash: true, labels: { grafana_dashboard: '1' } },
        },
      ],
    },
  };
}

/** For a Prometheus without the operator, and for Grafana. */
export function monitoringFiles(header: string): [string, string][] {
  return [
    [`${monitoringFolder}/rules.yaml`, header + yaml({ groups: ruleGroups() })],
    ...dashboards.map(({ file, model }): [string, string] => [
      `${monitoringFolder}/dashboards/${file}`,
      `${JSON.stringify(model, null, 2)}\n`,
    ]),
  ];
}

const containerList = (field: string) => `/spec/template/spec/containers/0/${field}`;

/** For an OpenTelemetry collector in the namespace of the monitoring: every service sends its traces there. */
export function tracing(): Component {
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector.monitoring:4318',
    // The share of traces that no caller has decided on: enough to see what is usual, at a hundredth of the cost.
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  const added = Object.entries(settings).map(([name, value]): [string, Json] => [
    containerList('env'),
    { name, value },
  ]);
  return {
    folder: 'k8s/components/tracing',
    documents: [tracingPolicy()],
    kustomization: { ...component(), patches: [additions({ kind: 'Deployment' }, added)] },
  };
}

/** What waits in the database and not in a queue: the query, and how much of it makes one replica more. */
const waitingInDatabase: Partial<Record<Workload['name'], { query: string; threshold: string }>> = {
  // Deliveries that receivers delay.
  'webhook-dispatcher': { query: 'max(webhook_deliveries_due)', threshold: '1000' },
  // Polls, by how many seconds the most overdue one is late: above 2 minutes a third replica is
  // added, and one more for each further minute.
  connection: { query: 'max(provider_poll_overdue_seconds)', threshold: '60' },
};

function databaseTrigger(name: Workload['name']): Json[] {
  const waiting = waitingInDatabase[name];
  // The Prometheus operator creates the Service of that name.
  const serverAddress = 'http://prometheus-operated.monitoring:9090';
  return waiting ? [{ type: 'prometheus', metadata: { serverAddress, ...waiting } }] : [];
}

/** For KEDA: services that work on events are scaled by their backlog. */
export function queueScaling(): Component {
  const working = workloads.filter(({ scalesOn }) => scalesOn === 'queues');
  return {
    folder: 'k8s/components/keda',
    documents: working.flatMap(({ name, queues }) => [
      {
        apiVersion: 'keda.sh/v1alpha1',
        kind: 'TriggerAuthentication',
        metadata: { name },
        spec: { secretTargetRef: [{ parameter: 'host', name: `${name}-secrets`, key: 'AMQP_URL' }] },
      },
      {
        apiVersion: 'keda.sh/v1alpha1',
        kind: 'ScaledObject',
        metadata: { name },
        spec: {
          scaleTargetRef: { name },
          minReplicaCount: minReplicas,
          maxReplicaCount: maxReplicas,
          cooldownPeriod: 300,
          triggers: [
            ...queues.map((queueName) => ({
              type: 'rabbitmq',
              metadata: { protocol: 'amqp', queueName, mode: 'QueueLength', value: '1000' },
              authenticationRef: { name },
            })),
            ...databaseTrigger(name),
          ],
        },
      },
    ]),
    kustomization: {
      ...component(),
      patches: working.map(({ name }) => ({
        target: { kind: 'Deployment', name },
        patch: '- op: remove\n  path: /spec/replicas\n',
      })),
    },
  };
}

/** For the External Secrets operator: a Secret for each service that has secrets. */
export function externalSecrets(): Component {
  return {
    folder: 'k8s/components/external-secrets',
    documents: workloads
      .filter(({ secrets }) => secrets.length > 0)
      .map(({ name, secrets }) => externalSecret(name, secrets)),
    kustomization: component(),
  };
}

const authorityFolder = '/run/authority';

/**
 * For MongoDB and RabbitMQ whose certificates are by an authority of our own: the Secret `authority` has its certificate, which everything that
 * connects to them is given. Stands after `keda` in an overlay, whose resources it patches.
 */
export function authority(): Component {
  const name = 'authority';
  const file = 'ca.crt';
  const mounted: [string, Json][] = [
    [containerList('env'), { name: 'NODE_EXTRA_CA_CERTS', value: `${authorityFolder}/${file}` }],
    [containerList('volumeMounts'), { name, mountPath: authorityFolder, readOnly: true }],
    [
      '/spec/template/spec/volumes',
      { name, secret: { secretName: name, defaultMode: 0o440, items: [{ key: file, path: file }] } },
    ],
  ];
  const connecting = workloads.flatMap(({ name, secrets }) => (secrets.length > 0 ? name : []));
  return {
    folder: `k8s/components/${name}`,
    documents: [
      externalSecretOf(name, {
        key: name,
        data: [{ secretKey: file, property: 'CERTIFICATES' }],
        // KEDA reads `tls` from the Secret only.
        template: { mergePolicy: 'Merge', data: { tls: 'enable' } },
      }),
    ],
    kustomization: {
      ...component(),
      patches: [
        additions({ kind: 'Deployment', name: [...connecting, 'operations'].join('|') }, mounted),
        additions({ kind: 'Job' }, mounted),
        additions({ kind: 'TriggerAuthentication' }, [
          ['/spec/secretTargetRef', { parameter: 'ca', name, key: file }],
          ['/spec/secretTargetRef', { parameter: 'tls', name, key: 'tls' }],
        ]),
      ],
    },
  };
}
