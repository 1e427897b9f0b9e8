import { type Alert, alerts } from './alerts.ts';
import { exporterAlerts } from './exporter-alerts.ts';
import { burnAlerts, objectives, recorded, windows } from './objectives.ts';

/** Where those on call read this repository: an example, to be changed here. */
export const repository = 'https://git.example.com/facility-platform/blob/main';

/** As in a rule file of Prometheus, and in the `spec` of a PrometheusRule. */
export type RuleGroup = { name: string; interval?: string; rules: object[] };

export function ruleGroups(): RuleGroup[] {
  return [
    {
      name: 'objectives',
      interval: '30s',
      rules: objectives.flatMap((objective) =>
        windows.map((window) => ({ record: recorded(objective, window), expr: objective.badShare(window) })),
      ),
    },
    { name: 'error-budgets', interval: '30s', rules: burnAlerts().map(ruleOf) },
    { name: 'platform', interval: '15s', rules: alerts.map(ruleOf) },
    { name: 'exporters', interval: '1m', rules: exporterAlerts.map(({ exporter: _, ...alert }) => ruleOf(alert)) },
  ];
}

function ruleOf({ name, severity, expr, summary, ...alert }: Alert): object {
  return {
    alert: name,
    expr,
    for: alert.for,
    labels: { severity },
    annotations: { summary, runbook_url: `${repository}/docs/runbook.md#${name.toLowerCase()}` },
  };
}
