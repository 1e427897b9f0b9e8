import { publicNetworks } from '@app/runtime/ssrf-guard';
import type { Json } from './kustomize.ts';
import { labelsOf, portName } from './pod.ts';
import type { Workload } from './workload.ts';

const pods = (name: string) => ({ podSelector: { matchLabels: labelsOf(name) } });
const namespace = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});
const tcp = (...ports: (number | string)[]) => ports.map((port) => ({ protocol: 'TCP', port }));

/** Nothing in, nothing out: each workload then says what it needs. Names are all that everybody may look up. */
export function defaultPolicies(): Json[] {
  const dns = [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ];
  const spec = {
    podSelector: {},
    policyTypes: ['Ingress', 'Egress'],
    egress: [{ to: [namespace('kube-system')], ports: dns }],
  };
  return [policy('default', spec)];
}

/** What may reach a service, and what it may reach. */
export function servicePolicy(workload: Workload, all: Workload[]): Json {
  const { name, ports, calls, hasDatabase, callsOutside } = workload;
  const callers = all.filter((one) => one.calls.includes(name)).map((one) => pods(one.name));
  const own = Object.keys(ports).map(portName);
  return policy(name, {
    podSelector: { matchLabels: labelsOf(name) },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      { from: name === 'gateway' ? [namespace('ingress')] : callers, ports: tcp(...own) },
      { from: [namespace('monitoring')], ports: tcp('ops') },
    ],
    egress: [
      ...(calls.length > 0 ? [{ to: calls.map(pods), ports: tcp('http') }] : []),
      ...(hasDatabase ? dataEgress : []),
      ...(callsOutside ? [publicEgress] : []),
    ],
  });
}

/** A command that works on the data alone. */
export function operationsPolicy(name: string): Json {
  return policy(name, {
    podSelector: { matchLabels: labelsOf(name) },
    policyTypes: ['Ingress', 'Egress'],
    egress: dataEgress,
  });
}

/** Every service may send its traces to the collector. */
export function tracingPolicy(): Json {
  return policy('tracing', {
    podSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'facility-platform' } },
    policyTypes: ['Egress'],
    egress: [
      {
        to: [{ ...namespace('monitoring'), podSelector: { matchLabels: labelsOf('otel-collector') } }],
        ports: tcp(4318),
      },
    ],
  });
}

const dataEgress = [
  { to: [{ ...namespace('data') }], ports: tcp(27017) },
  { to: [{ ...namespace('data') }], ports: tcp(5671, 5672) },
];

/** The addresses that webhooks may be sent to: not those of this cluster, of private networks, of the cloud's metadata. */
const publicEgress = { to: publicNetworks.map(({ cidr, except }) => ({ ipBlock: { cidr, except: [...except] } })) };

function policy(name: string, spec: Json): Json {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name }, spec };
}
