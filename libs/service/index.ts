export { type CompanyClosures, createCompanyClosures } from './company-closures.ts';
export { runService } from './run-service.ts';
export { type ServiceSettings, serviceSettings } from './settings.ts';
