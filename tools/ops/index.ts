export { brokerUsers, databaseUsers } from './settings/data-users.ts';
export { type ServiceName, serviceSettings } from './settings/service-settings.ts';
