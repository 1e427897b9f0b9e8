export { type BrokerUser, brokerUsers, type DatabaseUser, databaseUsers } from './data-users.ts';
export { type ServiceName, type ServiceSettings, serviceSettings } from './service-settings.ts';
