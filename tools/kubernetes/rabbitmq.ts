import { brokerUsers } from '@app/ops';
import type { Json } from './kustomize.ts';

const namespace = 'data';
const vhost = 'platform';
const cluster = { rabbitmqClusterReference: { name: 'rabbitmq' } };

/** For RabbitMQ's messaging topology operator. A Secret `rabbitmq-<user>` has `username` and `password`. */
export function brokerResources(): Json[] {
  return [
    // A virtual host that is deleted takes its messages along.
    resource('Vhost', vhost, { name: vhost, defaultQueueType: 'quorum', deletionPolicy: 'retain' }),
    ...brokerUsers.flatMap(({ name, permissions, topic }) => [
      resource('User', name, { importCredentialsSecret: { name: `rabbitmq-${name}` } }),
      resource('Permission', name, { vhost, userReference: { name }, permissions }),
      ...(topic ? [resource('TopicPermission', name, { vhost, userReference: { name }, permissions: topic })] : []),
    ]),
  ];
}

function resource(kind: string, name: string, spec: Json): Json {
  return { apiVersion: 'rabbitmq.com/v1beta1', kind, metadata: { name, namespace }, spec: { ...spec, ...cluster } };
}
