export { alerts } from './alerts.ts';
export { dashboards } from './dashboards.ts';
export { exporterAlerts } from './exporter-alerts.ts';
export { objectives } from './objectives.ts';
export { type RuleGroup, repository, ruleGroups } from './rules.ts';
