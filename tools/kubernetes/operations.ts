import { type Component, component, type Json } from './kustomize.ts';
import { operationsPolicy } from './network.ts';
import { labelsOf, operationsPod } from './pod.ts';
import { externalSecret } from './secrets.ts';

/** Settings of the commands, by workload, as `docker-compose.yml` gives them. */
const secrets = {
  migrate: ['MONGODB_URL', 'AMQP_URL'],
  operations: ['MONGODB_URL', 'AMQP_URL', 'CREDENTIALS_KEYS'],
};

/** What operators run: the migration before each roll-out, and a pod for single commands. k8s/overlays/<name>/migration has both. */
export function operations(): Record<keyof typeof secrets, Record<string, Json[]>> {
  return {
    migrate: { ...common('migrate'), 'job.yaml': [migrateJob()] },
    operations: { ...common('operations'), 'deployment.yaml': [operationsDeployment()] },
  };
}

/** For the External Secrets operator. */
export function operationsSecrets(): Component {
  return {
    folder: 'k8s/components/operations-secrets',
    documents: Object.entries(secrets).map(([name, settings]) => externalSecret(name, settings)),
    kustomization: component(),
  };
}

function common(name: string): Record<string, Json[]> {
  return {
    'service-account.yaml': [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name }, automountServiceAccountToken: false },
    ],
    'network-policy.yaml': [operationsPolicy(name)],
  };
}

function migrateJob(): Json {
  const pod = operationsPod('migrate', secrets.migrate, { args: ['migrate'] });
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'migrate' },
    spec: {
      // It may be killed anywhere and goes on where it stopped.
      backoffLimit: 6,
      ttlSecondsAfterFinished: 86_400,
      template: { ...pod, spec: { ...pod.spec, restartPolicy: 'OnFailure' } },
    },
  };
}

/**
 * A pod that waits for `kubectl exec`. It has no replica unless an operator wants one, since it may
 * open what CREDENTIALS_KEYS seal. Applying the overlay again ends that one.
 */
function operationsDeployment(): Json {
  const name = 'operations';
  const pod = operationsPod(name, secrets.operations, { command: ['sleep', 'infinity'] });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: labelsOf(name) },
      // `sleep` as the first process ignores SIGTERM, and commands may be cut off anywhere.
      template: { ...pod, spec: { ...pod.spec, terminationGracePeriodSeconds: 1 } },
    },
  };
}
