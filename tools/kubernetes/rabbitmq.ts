import type { Json } from './kustomize.ts';
import { workloads } from './workload.ts';

const namespace = 'data';
const vhost = 'platform';
const cluster = { rabbitmqClusterReference: { name: 'rabbitmq' } };

/**
 * For RabbitMQ's messaging topology operator: a user for each service and one for the commands of operators, with the rights of the virtual
 * host and no other. Each service creates the queues of all, with their bindings and dead-letter queues, so single queues cannot be
 * kept from it. A Secret `rabbitmq-<user>` has `username` and `password`.
 */
export function brokerUsers(): Json[] {
  const users = [...workloads.flatMap(({ name, hasDatabase }) => (hasDatabase ? name : [])), 'migrate'];
  return [
    // A virtual host that is deleted takes its messages along.
    resource('Vhost', vhost, { name: vhost, defaultQueueType: 'quorum', deletionPolicy: 'retain' }),
    ...users.flatMap((name) => [
      resource('User', name, { importCredentialsSecret: { name: `rabbitmq-${name}` } }),
      resource('Permission', name, {
        ...{ vhost, userReference: { name } },
        permissions: { configure: '.*', write: '.*', read: '.*' },
      }),
    ]),
  ];
}

function resource(kind: string, name: string, spec: Json): Json {
  return { apiVersion: 'rabbitmq.com/v1beta1', kind, metadata: { name, namespace }, spec: { ...spec, ...cluster } };
}
