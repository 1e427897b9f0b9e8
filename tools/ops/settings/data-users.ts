import { platformPublishers, platformQueues } from '@app/contracts';
import { names } from '@app/messaging';
import { serviceTable } from '@app/start';
import { type ServiceName, serviceSettings } from './service-settings.ts';

/** Users of MongoDB and RabbitMQ, as docker-compose.yml makes them: one for each service, and those of operators. */

const services = serviceTable.filter(({ database }) => database).map(({ name }) => name as ServiceName);

type DatabaseUser = { name: string; roles: { role: string; db: string }[] };

/** A service has its own database, and the files that all share; migrations all of them; a backup whatever there is. */
export const databaseUsers: DatabaseUser[] = [
  ...services.map((name) => ({
    name,
    roles: [name, ...('STORAGE_URL' in serviceSettings[name].settingSchemas ? ['storage'] : [])].map((db) => ({
      role: 'readWrite',
      db,
    })),
  })),
  { name: 'migrate', roles: [...services, 'storage'].map((db) => ({ role: 'dbOwner', db })) },
  { name: 'backup', roles: ['backup', 'restore'].map((role) => ({ role, db: 'admin' })) },
];

/** Regular expressions of what a user may declare, publish to and consume; `topic`: of which routing keys. */
type BrokerUser = {
  name: string;
  permissions: { configure: string; write: string; read: string };
  topic: { exchange: string; write: string; read: string } | null;
};

const oneOf = (texts: string[]) => `^(${texts.map((text) => text.replaceAll('.', '[.]')).join('|')})$`;
const nothing = '^$';
const all = { configure: '.*', write: '.*', read: '.*' };

/**
 * A service publishes its own event types, puts failed messages back on its own queues, and consumes these. It declares and binds nothing: who
 * may would lead messages past the check of routing keys. `migrate` makes the queues of all.
 */
export const brokerUsers: BrokerUser[] = [
  ...services.map((name) => {
    const { exchange, requeue, queue } = names('', name);
    const queues = Object.keys(platformQueues[name as keyof typeof platformQueues]);
    const types = (platformPublishers[name] ?? []).map(({ type }) => type);
    return {
      name,
      permissions: {
        configure: nothing,
        write: oneOf([exchange, requeue]),
        read: oneOf(queues.map((purpose) => queue(purpose).main)),
      },
      topic: { exchange, write: oneOf(types), read: nothing },
    };
  }),
  { name: 'migrate', permissions: all, topic: null },
];
