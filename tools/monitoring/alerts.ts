import { serviceTable } from '@app/start';

/** As Prometheus knows them by `job`. */
const serviceNames: string[] = serviceTable.map(({ name }) => name);

/** An alert. docs/runbook.md says under its name what it means, where to look and what to do. */
export type Alert = {
  name: string;
  /**
   * `page`: users are affected, somebody is woken. `ticket`: to be looked at within a working day.
   */
  severity: 'page' | 'ticket';
  expr: string;
  /** How long the condition must hold. */
  for: string;
  /** One sentence; labels as `{{ $labels.queue }}`. */
  summary: string;
};

const ourJobs = `job=~"${serviceNames.join('|')}"`;

export const alerts: Alert[] = [
  {
    name: 'ServiceDown',
    severity: 'page',
    expr: `sum by (job) (up{${ourJobs}}) == 0`,
    for: '1m',
    summary: 'No replica of {{ $labels.job }} answers',
  },
  {
    name: 'ServiceMissing',
    severity: 'page',
    expr: serviceNames.map((name) => `absent(up{job="${name}"})`).join(' or '),
    for: '5m',
    summary: 'Nothing is known of {{ $labels.job }}: it is not deployed, or not scraped',
  },
  {
    name: 'NotReady',
    severity: 'page',
    expr: `max by (job) (ready{${ourJobs}}) == 0`,
    for: '2m',
    summary: 'No replica of {{ $labels.job }} is ready',
  },
  {
    name: 'ReplicaDown',
    severity: 'ticket',
    expr: `up{${ourJobs}} == 0 or max by (job, instance) (ready{${ourJobs}}) == 0`,
    for: '15m',
    summary: 'A replica of {{ $labels.job }} does not answer, or is not ready: {{ $labels.instance }}',
  },
  {
    name: 'ServiceRestarting',
    severity: 'ticket',
    expr: `changes(process_start_time_seconds{${ourJobs}}[30m]) > 3`,
    for: '0m',
    summary: '{{ $labels.job }} has started more than three times in half an hour',
  },
  {
    name: 'EventLoopBlocked',
    severity: 'ticket',
    expr: `min_over_time(nodejs_eventloop_lag_p99_seconds{${ourJobs}}[5m]) > 0.5`,
    for: '5m',
    summary: '{{ $labels.job }} is kept busy for half a second and more at a time',
  },
  {
    name: 'OutboxStuck',
    severity: 'page',
    expr: 'max by (job, model) (outbox_oldest_unsent_seconds) > 30',
    for: '2m',
    summary: 'Events of {{ $labels.model }} ({{ $labels.job }}) do not reach the broker',
  },
  {
    name: 'BrokerUnreachable',
    severity: 'page',
    expr: 'min by (job) (broker_connected) == 0',
    for: '1m',
    summary: '{{ $labels.job }} has no connection to RabbitMQ',
  },
  {
    name: 'BrokerBlocked',
    severity: 'page',
    expr: 'max(broker_publishing_blocked) == 1',
    for: '1m',
    summary: 'RabbitMQ takes no messages: its memory or disk is short',
  },
  {
    name: 'DeadLetters',
    severity: 'ticket',
    expr: 'max by (queue) (queue_messages{queue=~".+[.]dead"}) > 0',
    for: '5m',
    summary: 'Events of {{ $labels.queue }} were given up',
  },
  {
    name: 'QueueGrowing',
    severity: 'ticket',
    expr: 'max by (queue) (queue_messages{queue!~".+[.](dead|retry|unknown)"}) > 1000',
    for: '10m',
    summary: '{{ $value }} events wait in {{ $labels.queue }}',
  },
  {
    name: 'DatabasePoolExhausted',
    severity: 'ticket',
    expr: 'min_over_time(mongodb_pool_connections{state="waiting"}[2m]) > 0',
    for: '3m',
    summary: 'Commands of {{ $labels.job }} wait for a connection to MongoDB',
  },
  {
    name: 'WebhooksOverdue',
    severity: 'page',
    expr: 'max(webhook_oldest_due_seconds) > 60',
    for: '2m',
    summary: 'Webhooks are due for {{ $value | humanizeDuration }} and nobody sends them',
  },
  {
    name: 'WebhooksNotSent',
    severity: 'page',
    expr: 'sum by (result) (increase(webhook_attempt_duration_seconds_count{result=~"proxy_failed|secret_unreadable"}[5m])) > 0',
    for: '2m',
    summary: 'Webhooks are not sent, and the fault is ours: {{ $labels.result }}',
  },
  {
    name: 'WebhookEndpointDisabled',
    severity: 'ticket',
    expr: 'sum(increase(webhook_endpoints_disabled_total[1h])) > 0',
    for: '0m',
    summary: 'An endpoint was disabled after 10 deliveries in a row that never arrived',
  },
  {
    name: 'ProviderFailing',
    severity: 'ticket',
    expr:
      'sum by (provider) (rate(provider_calls_total{result=~"failed|paused"}[30m])) ' +
      '/ sum by (provider) (rate(provider_calls_total[30m])) > 0.5 ' +
      'and sum by (provider) (increase(provider_calls_total[30m])) > 10',
    for: '5m',
    summary: 'More than half of the calls to {{ $labels.provider }} fail',
  },
  {
    name: 'PollsOverdue',
    severity: 'ticket',
    expr: 'max by (provider) (provider_poll_overdue_seconds) > 300',
    for: '5m',
    summary: 'Connections to {{ $labels.provider }} are not polled',
  },
  {
    name: 'PollsFailing',
    severity: 'ticket',
    expr:
      'sum by (provider) (increase(provider_polls_total{result="failed"}[1h])) > 3 ' +
      'unless sum by (provider) (increase(provider_polls_total{result="done"}[1h])) > 0',
    for: '5m',
    summary: 'No poll of {{ $labels.provider }} has succeeded for an hour',
  },
  {
    name: 'ClockSkew',
    severity: 'ticket',
    expr:
      'max by (job, instance) (abs(clock_skew_seconds)) > 30 ' +
      'or max by (provider) (abs(provider_clock_skew_seconds)) > 60',
    for: '10m',
    summary: 'A clock is wrong by {{ $value | humanizeDuration }}: {{ $labels.instance }}{{ $labels.provider }}',
  },
  {
    name: 'InvoicesOverdue',
    severity: 'ticket',
    expr: 'max(min_over_time(invoices_overdue[10m])) > 0',
    for: '5m',
    summary: '{{ $value }} invoices are due for their next step and nobody takes it',
  },
  {
    name: 'AutomaticMatchesUndone',
    severity: 'ticket',
    expr:
      'sum(increase(invoice_automatic_matches_undone_total[7d])) ' +
      '/ sum(increase(invoices_matched_automatically_total[7d])) > 0.01',
    for: '1h',
    summary: 'People undo more than 1 % of the automatic matches',
  },
];
