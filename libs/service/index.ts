export { runService, type Service, type ServiceApp } from './run-service.ts';
export { type ServiceSettings, serviceSettings } from './settings.ts';
