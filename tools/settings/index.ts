export { brokerUsers, databaseUsers } from './data-users.ts';
export { type ServiceName, serviceSettings } from './service-settings.ts';
