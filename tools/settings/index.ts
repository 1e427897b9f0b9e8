export { type ServiceName, type ServiceSettings, serviceSettings } from './service-settings.ts';
