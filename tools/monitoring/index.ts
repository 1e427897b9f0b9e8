export { type Alert, alerts } from './alerts.ts';
export { type Dashboard, dashboards } from './dashboards.ts';
export { type ExporterAlert, exporterAlerts } from './exporter-alerts.ts';
export { objectives } from './objectives.ts';
export { type RuleGroup, repository, ruleGroups } from './rules.ts';
