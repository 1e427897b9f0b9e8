import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { serviceTable } from '@app/start';
import { ruleGroups } from './monitoring-files.ts';
import { findPrometheusProgram } from './prometheus-programs.ts';

/** `start+step x times`, in promtool's notation. */
type Series = Record<string, string>;
/** `every`: the distance of the values. `at`: when the rules are looked at. */
type Scenario = { every: string; at: string; series: Series };

/** Every service has a replica that answers, unless a scenario says otherwise. */
const up: Series = Object.fromEntries(serviceTable.map(({ name }) => [`up{job="${name}",instance="a"}`, '1x2000']));
const requests = (status: number) => `gateway_request_duration_seconds_count{service="ticket",status="${status}"}`;
const calls = (result: string) => `provider_calls_total{provider="sandbox",kind="fetch",result="${result}"}`;
const polls = (result: string) => `provider_polls_total{provider="sandbox",result="${result}"}`;

/** For each alert the fault that it is there for. */
const faults: Record<string, Scenario> = {
  ServiceDown: { every: '15s', at: '3m', series: { 'up{job="ticket",instance="a"}': '0x20' } },
  ServiceMissing: { every: '15s', at: '8m', series: { 'up{job="identity",instance="a"}': '_x40' } },
  ReplicaDown: {
    every: '15s',
    at: '17m',
    series: { 'up{job="ticket",instance="a"}': '1x80', 'up{job="ticket",instance="b"}': '0x80' },
  },
  NotReady: { every: '15s', at: '4m', series: { 'ready{job="ticket",instance="a",reason="mongodb"}': '0x20' } },
  ServiceRestarting: {
    every: '1m',
    at: '10m',
    series: { 'process_start_time_seconds{job="ticket",instance="a"}': '1000+60x10' },
  },
  EventLoopBlocked: { every: '15s', at: '6m', series: { 'nodejs_eventloop_lag_p99_seconds{job="ticket"}': '0.8x40' } },
  OutboxStuck: {
    every: '15s',
    at: '4m',
    series: { 'outbox_oldest_unsent_seconds{job="ticket",model="Ticket"}': '0+15x40' },
  },
  BrokerUnreachable: {
    every: '15s',
    at: '3m',
    series: {
      'broker_connected{job="ticket",instance="a"}': '1x20',
      'broker_connected{job="ticket",instance="b"}': '0x20',
    },
  },
  BrokerBlocked: { every: '15s', at: '3m', series: { 'broker_publishing_blocked{job="ticket"}': '1x20' } },
  DeadLetters: { every: '15s', at: '7m', series: { 'queue_messages{queue="ticket.companies.dead"}': '1x40' } },
  QueueGrowing: { every: '15s', at: '12m', series: { 'queue_messages{queue="ticket.companies"}': '1500x60' } },
  DatabasePoolExhausted: {
    every: '15s',
    at: '6m',
    series: { 'mongodb_pool_connections{job="ticket",state="waiting"}': '3x40' },
  },
  WebhooksOverdue: { every: '15s', at: '5m', series: { webhook_oldest_due_seconds: '0+15x40' } },
  WebhooksNotSent: {
    every: '15s',
    at: '6m',
    series: { 'webhook_attempt_duration_seconds_count{result="proxy_failed"}': '0+3x40' },
  },
  WebhookEndpointDisabled: { every: '15s', at: '2m', series: { webhook_endpoints_disabled_total: '0 0 0 1x20' } },
  ProviderFailing: { every: '15s', at: '15m', series: { [calls('failed')]: '0+5x80', [calls('done')]: '0+1x80' } },
  PollsOverdue: {
    every: '15s',
    at: '12m',
    series: { 'provider_poll_overdue_seconds{provider="sandbox"}': '0+15x60' },
  },
  PollsFailing: { every: '1m', at: '70m', series: { [polls('failed')]: '0+1x80', [polls('done')]: '7x80' } },
  ClockSkew: { every: '15s', at: '12m', series: { 'provider_clock_skew_seconds{provider="sandbox"}': '-600x60' } },
  MailboxUnread: { every: '15s', at: '14m', series: { mailbox_unread_seconds: '0+15x60' } },
  MailsBounce: {
    every: '1m',
    at: '70m',
    series: {
      'mail_inbound_total{job="identity",result="bounced"}': '0+1x80',
      'mail_sent_total{job="identity",result="sent"}': '0+4x80',
    },
  },
  InvoicesOverdue: { every: '15s', at: '16m', series: { invoices_overdue: '2x80' } },
  CertificateExpiring: {
    every: '15m',
    at: '2h',
    series: { 'probe_ssl_earliest_cert_expiry{instance="https://api.example.com"}': '864000x20' },
  },
  DiskFilling: {
    every: '1m',
    at: '10m',
    series: {
      'kubelet_volume_stats_available_bytes{persistentvolumeclaim="mongodb-0"}': '10x20',
      'kubelet_volume_stats_capacity_bytes{persistentvolumeclaim="mongodb-0"}': '100x20',
    },
  },
  ReplicaSetDegraded: {
    every: '1m',
    at: '10m',
    series: {
      'mongodb_rs_members_health{member_idx="a"}': '1x20',
      'mongodb_rs_members_health{member_idx="b"}': '0x20',
    },
  },
  BackupOld: {
    every: '1h',
    at: '33h',
    series: { 'kube_cronjob_status_last_successful_time{cronjob="backup"}': '0x40' },
  },
  AutoscalerAtItsLimit: {
    every: '1m',
    at: '20m',
    series: {
      'kube_horizontalpodautoscaler_status_current_replicas{horizontalpodautoscaler="ticket"}': '10x30',
      'kube_horizontalpodautoscaler_spec_max_replicas{horizontalpodautoscaler="ticket"}': '10x30',
    },
  },
  AutomaticMatchesUndone: {
    every: '1h',
    at: '20h',
    series: { invoice_automatic_matches_undone_total: '0+1x30', invoices_matched_automatically_total: '0+10x30' },
  },
};

/** How Prometheus 2 and Prometheus 3 store the `le` of a bucket that we expose as "5". */
const spellings = ['', '.0'];

/**
 * Requests and webhooks of which `bad` in 1,000 are bad, and invoices of which ten times as many
 * are, for the time that the alert of that severity looks at. `decimals`: one of `spellings`.
 */
const burning = (bad: number, time: { every: string; at: string }, decimals: string): Scenario => ({
  ...time,
  series: {
    [requests(500)]: `0+${bad}x400`,
    [requests(200)]: `0+${1000 - bad}x400`,
    [`webhook_first_attempt_delay_seconds_bucket{le="5${decimals}"}`]: `0+${1000 - bad}x400`,
    webhook_first_attempt_delay_seconds_count: '0+1000x400',
    [`invoice_processing_duration_seconds_bucket{le="60${decimals}",state="linked"}`]: `0+${1000 - 10 * bad}x400`,
    'invoice_processing_duration_seconds_count{state="linked"}': '0+1000x400',
  },
});
const anHour = { every: '1m', at: '65m' };
const aDay = { every: '5m', at: '26h' };

const healthy = (decimals: string): Scenario => ({
  every: '1m',
  at: '12h',
  series: {
    ...burning(0, anHour, decimals).series,
    'process_start_time_seconds{job="ticket",instance="a"}': '1000x800',
    'nodejs_eventloop_lag_p99_seconds{job="ticket"}': '0.06x800',
    'outbox_oldest_unsent_seconds{job="ticket",model="Ticket"}': '0x800',
    'ready{job="ticket",instance="a",reason=""}': '1x800',
    'broker_connected{job="ticket"}': '1x800',
    'broker_publishing_blocked{job="ticket"}': '0x800',
    'queue_messages{queue="ticket.companies.dead"}': '0x800',
    'queue_messages{queue="ticket.companies"}': '20x800',
    'mongodb_pool_connections{job="ticket",state="waiting"}': '0x800',
    webhook_oldest_due_seconds: '1x800',
    webhook_endpoints_disabled_total: '3x800',
    [calls('done')]: '0+50x800',
    [calls('failed')]: '0+1x800',
    'provider_poll_overdue_seconds{provider="sandbox"}': '2x800',
    [polls('done')]: '0+1x800',
    [polls('failed')]: '0+1x800',
    'clock_skew_seconds{job="ticket",instance="a"}': '-1x800',
    'provider_clock_skew_seconds{provider="sandbox"}': '2x800',
    invoices_overdue: '0x800',
    mailbox_unread_seconds: '30x800',
    'mail_inbound_total{job="identity",result="bounced"}': '0+1x800',
    'mail_inbound_total{job="identity",result="noted"}': '0+20x800',
    'mail_sent_total{job="identity",result="sent"}': '0+50x800',
    'mail_sent_total{job="identity",result="failed"}': '0+1x800',
    'probe_ssl_earliest_cert_expiry{instance="https://api.example.com"}': '8640000x800',
    'kubelet_volume_stats_available_bytes{persistentvolumeclaim="mongodb-0"}': '60x800',
    'kubelet_volume_stats_capacity_bytes{persistentvolumeclaim="mongodb-0"}': '100x800',
    'mongodb_rs_members_health{member_idx="a"}': '1x800',
    'kube_cronjob_status_last_successful_time{cronjob="backup"}': '0x800',
    'node_textfile_scrape_error{instance="a"}': '0x800',
    invoice_automatic_matches_undone_total: '0x800',
    invoices_matched_automatically_total: '0+10x800',
  },
});

const promtool = findPrometheusProgram('promtool');
if (!promtool)
  console.warn('Whether the alerts fire is not tested: there is no promtool here, and no apt-get to fetch it.');
const testWithPromtool = promtool ? test : test.skip;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  writeFileSync(join(folder, 'rules.yaml'), JSON.stringify({ groups: ruleGroups }));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The alerts that fire, as `name severity`. */
function firing({ every, at, series }: Scenario): string[] {
  const tested = {
    rule_files: ['rules.yaml'],
    evaluation_interval: every,
    tests: [
      {
        interval: every,
        input_series: Object.entries({ ...up, ...series }).map(([name, values]) => ({ series: name, values })),
        // Expects no alerts, so that promtool prints those that fire.
        promql_expr_test: [
          { expr: 'count by (alertname, severity) (ALERTS{alertstate="firing"})', eval_time: at, exp_samples: [] },
        ],
      },
    ],
  };
  writeFileSync(join(folder, 'test.yaml'), JSON.stringify(tested));
  const { stdout, stderr, status } = spawnSync(promtool as string, ['test', 'rules', 'test.yaml'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const said = `${stdout}${stderr}`;
  const found = [...said.matchAll(/\{alertname="(\w+)", severity="(\w+)"\}/g)].map(
    ([, name, severity]) => `${name} ${severity}`,
  );
  if (found.length === 0 && status !== 0) throw new Error(said);
  return [...new Set(found)].sort();
}

const severityOf = new Map(
  ruleGroups.flatMap(({ rules }) => rules.map(({ alert, labels }) => [alert, labels?.severity])),
);

testWithPromtool.each(Object.entries(faults))('%s fires, and nothing else', (name, scenario) => {
  expect(firing(scenario)).toEqual([`${name} ${severityOf.get(name)}`]);
});

const created = { 'kube_cronjob_created{cronjob="backup"}': '0x40' };
const nodeExporter = { 'node_textfile_scrape_error{instance="a"}': '0x40' };

testWithPromtool.each<[string, Scenario['series'], string, string[]]>([
  ['Kubernetes, no backup has succeeded since the deployment', created, '33h', ['BackupOld ticket']],
  ['Compose, none has succeeded', nodeExporter, '33h', ['BackupOld ticket']],
  [
    'Compose, the one that succeeded is old',
    { backup_completed_timestamp_seconds: '0x40' },
    '33h',
    ['BackupOld ticket'],
  ],
  ['Kubernetes, the first night is to come', { ...created, ...nodeExporter }, '20h', []],
  ['Compose, the first night is to come', nodeExporter, '20h', []],
  [
    'Kubernetes, one has succeeded',
    { ...created, ...nodeExporter, 'kube_cronjob_status_last_successful_time{cronjob="backup"}': '0+3600x40' },
    '33h',
    [],
  ],
  ['Compose, one has succeeded', { ...nodeExporter, backup_completed_timestamp_seconds: '0+3600x40' }, '33h', []],
])('backups: on %s', (_, series, at, expected) => {
  expect(firing({ every: '1h', at, series })).toEqual(expected);
});

testWithPromtool(
  'e-mails that servers refuse for good count as those that come back, and few e-mails say nothing',
  () => {
    const series = {
      'mail_sent_total{job="identity",result="failed"}': '0+1x80',
      'mail_sent_total{job="identity",result="sent"}': '0+4x80',
    };
    expect(firing({ every: '1m', at: '70m', series })).toEqual(['MailsBounce ticket']);
    expect(firing({ every: '2h', at: '70h', series })).toEqual([]);
  },
);

const budgets = ['ApiErrorBudgetBurning', 'InvoiceErrorBudgetBurning', 'WebhookErrorBudgetBurning'];
const burnsOf = (found: string[]) => found.filter((one) => one.includes('Budget'));

describe.each(spellings)('as buckets are stored with le="5%s"', (decimals) => {
  testWithPromtool('a budget that burns 20 times too fast is a page within the hour', () => {
    expect(burnsOf(firing(burning(20, anHour, decimals)))).toEqual(
      expect.arrayContaining(budgets.map((name) => `${name} page`)),
    );
  });

  testWithPromtool('one that burns 4 times too fast is a ticket within a day, and no page', () => {
    expect(burnsOf(firing(burning(4, aDay, decimals)))).toEqual(budgets.map((name) => `${name} ticket`));
  });

  testWithPromtool('a healthy platform fires none', () => {
    expect(firing(healthy(decimals))).toEqual([]);
  });
});

testWithPromtool('Prometheus takes the configuration of Docker Compose, with its rules', () => {
  for (const file of ['tools/start/observability/prometheus.yml', 'k8s/chart/files/rules.yaml'])
    copyFileSync(join(__dirname, '../..', file), join(folder, basename(file)));
  const { stdout, stderr, status } = spawnSync(promtool as string, ['check', 'config', 'prometheus.yml'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('rules found')]);
});

test('every alert has a fault that it was seen to fire for', () => {
  const names = ruleGroups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
  expect(new Set([...Object.keys(faults), ...budgets])).toEqual(new Set(names));
});
