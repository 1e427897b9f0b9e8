export { type Alert, alerts } from './alerts.ts';
export { type Dashboard, dashboards } from './dashboards.ts';
export { objectives } from './objectives.ts';
export { type RuleGroup, ruleGroups } from './rules.ts';
