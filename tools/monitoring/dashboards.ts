/** A dashboard of Grafana: its JSON model. */
export type Dashboard = { uid: string; title: string; file: string; model: object };

type Unit = 's' | 'reqps' | 'percentunit' | 'short' | 'bytes';
type Query = { expr: string; legend: string };
type Panel = { title: string; description: string; unit: Unit; queries: Query[] };
type Row = { title: string; panels: Panel[] };

const panelHeight = 8;
const gridWidth = 24;
const source = { type: 'prometheus', uid: '$source' };
const window = '$__rate_interval';

function panel(title: string, unit: Unit, queries: Query[], description = ''): Panel {
  return { title, unit, queries, description };
}

const query = (legend: string, expr: string): Query => ({ expr, legend });

/** p50, p95 and p99 of a histogram, or of the one among several that has values. */
function quantiles(histograms: string | string[], filter = ''): Query[] {
  const buckets = [histograms].flat().map((one) => `sum by (le) (rate(${one}_bucket${filter}[${window}]))`);
  return [0.5, 0.95, 0.99].map((quantile) =>
    query(`p${quantile * 100}`, `histogram_quantile(${quantile}, ${buckets.join(' or ')})`),
  );
}

const rateBy = (label: string, metric: string, filter = '') =>
  query(`{{${label}}}`, `sum by (${label}) (rate(${metric}${filter}[${window}]))`);

const platform: Row[] = [
  {
    title: 'Callers',
    panels: [
      panel('Requests', 'reqps', [rateBy('service', 'gateway_request_duration_seconds_count')]),
      panel('Server errors, share', 'percentunit', [
        query(
          '{{service}}',
          `sum by (service) (rate(gateway_request_duration_seconds_count{status=~"5.."}[${window}])) ` +
            `/ sum by (service) (rate(gateway_request_duration_seconds_count[${window}]))`,
        ),
      ]),
      panel('Server errors by route', 'reqps', [
        query(
          '{{method}} {{route}} {{status}}',
          `sum by (method, route, status) (rate(gateway_request_duration_seconds_count{status=~"5.."}[${window}])) > 0`,
        ),
      ]),
      panel('Time to answer', 's', quantiles('gateway_request_duration_seconds')),
    ],
  },
  {
    title: 'Events',
    panels: [
      panel('Waiting in queues', 'short', [
        query('{{queue}}', 'max by (queue) (queue_messages{queue!~".+[.]dead"}) > 0'),
      ]),
      panel('Dead letters', 'short', [query('{{queue}}', 'max by (queue) (queue_messages{queue=~".+[.]dead"})')]),
      panel('Oldest event that is not with the broker', 's', [
        query('{{job}} {{model}}', 'max by (job, model) (outbox_oldest_unsent_seconds)'),
      ]),
      panel('Handled', 'reqps', [rateBy('queue', 'message_handling_duration_seconds_count')]),
      panel('Time to handle, p95', 's', [
        query(
          '{{queue}}',
          `histogram_quantile(0.95, sum by (le, queue) (rate(message_handling_duration_seconds_bucket[${window}])))`,
        ),
      ]),
      panel('Failed for now, and given up', 'reqps', [
        query('{{queue}} again', `sum by (queue) (rate(messages_retried_total[${window}]))`),
        query('{{queue}} dead', `sum by (queue) (rate(messages_dead_lettered_total[${window}]))`),
      ]),
    ],
  },
  {
    title: 'Services',
    panels: [
      panel('Replicas that answer', 'short', [query('{{job}}', 'sum by (job) (up)')]),
      panel('Processors', 'short', [rateBy('job', 'process_cpu_seconds_total')]),
      panel('Resident memory, largest replica', 'bytes', [
        query('{{job}}', 'max by (job) (process_resident_memory_bytes)'),
      ]),
    ],
  },
];

const webhooks: Row[] = [
  {
    title: 'Subscribers',
    panels: [
      panel(
        'From the event to the first attempt',
        's',
        quantiles('webhook_first_attempt_delay_seconds'),
        'At most 5 s for 99.9 %.',
      ),
      panel('From the event to its arrival', 's', quantiles('webhook_delivery_delay_seconds'), 'Retries included.'),
      panel('Attempts by result', 'reqps', [rateBy('result', 'webhook_attempt_duration_seconds_count')]),
      panel('What came of them', 'reqps', [rateBy('status', 'webhook_attempt_results_total')]),
    ],
  },
  {
    title: 'What waits',
    panels: [
      panel('Due now', 'short', [query('due', 'max(webhook_deliveries_due)')]),
      panel('Longest due', 's', [query('oldest', 'max(webhook_oldest_due_seconds)')]),
      panel('Under way', 'short', [query('{{instance}}', 'webhook_attempts_in_flight')]),
      panel('Events that wait', 'short', [
        query('{{queue}}', 'max by (queue) (queue_messages{queue=~"webhook-dispatcher[.].+"})'),
      ]),
    ],
  },
  {
    title: 'Receivers',
    panels: [
      panel('Time of an attempt', 's', quantiles('webhook_attempt_duration_seconds')),
      panel('Endpoints disabled in an hour', 'short', [
        query('disabled', 'sum(increase(webhook_endpoints_disabled_total[1h]))'),
      ]),
    ],
  },
];

const invoices: Row[] = [
  {
    title: 'Placing',
    panels: [
      panel(
        'From the fetch to a ticket or a person',
        's',
        quantiles('invoice_processing_duration_seconds'),
        'At most a minute for 99 %.',
      ),
      panel('Moves', 'reqps', [rateBy('state', 'invoice_moves_total')]),
      panel('Overdue steps', 'short', [query('overdue', 'max(invoices_overdue)')]),
      panel('Automatic matches in a week, and undone', 'short', [
        query('matched', 'sum(increase(invoices_matched_automatically_total[7d]))'),
        query('undone', 'sum(increase(invoice_automatic_matches_undone_total[7d]))'),
      ]),
    ],
  },
  {
    title: 'People',
    panels: [
      panel('Waiting', 'short', [query('{{state}}', 'max by (state) (invoices_waiting)')]),
      panel('Oldest', 's', [query('{{state}}', 'max by (state) (invoices_oldest_waiting_seconds)')]),
    ],
  },
  {
    title: 'Providers',
    panels: [
      panel('Calls', 'reqps', [
        query(
          '{{provider}} {{kind}} {{result}}',
          `sum by (provider, kind, result) (rate(provider_calls_total[${window}]))`,
        ),
      ]),
      panel('Time of a call, p95', 's', [
        query(
          '{{provider}} {{kind}}',
          `histogram_quantile(0.95, sum by (le, provider, kind) (rate(provider_call_duration_seconds_bucket[${window}])))`,
        ),
      ]),
      panel('Polls', 'reqps', [
        query('{{provider}} {{result}}', `sum by (provider, result) (rate(provider_polls_total[${window}]))`),
      ]),
      panel('Overdue polls', 's', [query('{{provider}}', 'max by (provider) (provider_poll_overdue_seconds)')]),
    ],
  },
];

const ofJob = '{job="$job"}';
/** Each service has one of them: the gateway and the console have their own. */
const ofRequests = ['http', 'gateway', 'page'].map((kind) => `${kind}_request_duration_seconds`);

/** Requests in a second by these labels. */
function requestRate(labels: string[], filter: string): string {
  const by = labels.join(', ');
  return ofRequests.map((one) => `sum by (${by}) (rate(${one}_count${filter}[${window}]))`).join(' or ');
}

const service: Row[] = [
  {
    title: '$job',
    panels: [
      panel('Requests by route', 'reqps', [query('{{method}} {{route}}', requestRate(['method', 'route'], ofJob))]),
      panel('Server errors by route', 'reqps', [
        query(
          '{{method}} {{route}} {{status}}',
          requestRate(['method', 'route', 'status'], '{job="$job",status=~"5.."}'),
        ),
      ]),
      panel('Time to answer', 's', quantiles(ofRequests, ofJob)),
      panel('Handled events', 'reqps', [
        query(
          '{{queue}} {{result}}',
          `sum by (queue, result) (rate(message_handling_duration_seconds_count${ofJob}[${window}]))`,
        ),
      ]),
      panel('Documents with unsent events', 'short', [
        query('{{model}}', `max by (model) (outbox_unsent_documents${ofJob})`),
      ]),
      panel('Connections to MongoDB', 'short', [query('{{instance}} {{state}}', `mongodb_pool_connections${ofJob}`)]),
      panel('Event loop, p99', 's', [query('{{instance}}', `nodejs_eventloop_lag_p99_seconds${ofJob}`)]),
      panel('Resident memory', 'bytes', [query('{{instance}}', `process_resident_memory_bytes${ofJob}`)]),
      panel('Versions', 'short', [
        query('{{version}} {{revision}}', `count by (version, revision) (build_info${ofJob})`),
      ]),
    ],
  },
];

export const dashboards: Dashboard[] = [
  dashboard('platform', 'Platform', platform),
  dashboard('webhooks', 'Webhooks', webhooks),
  dashboard('invoices', 'Invoices', invoices),
  dashboard('service', 'One service', service, [jobVariable()]),
];

function dashboard(name: string, title: string, rows: Row[], variables: object[] = []): Dashboard {
  const uid = `facility-platform-${name}`;
  const model = {
    ...{ uid, title: `Facility platform: ${title}`, tags: ['facility-platform'], schemaVersion: 39, refresh: '30s' },
    editable: false,
    timezone: 'browser',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'source', label: 'Source', type: 'datasource', query: 'prometheus' }, ...variables] },
    panels: panelsOf(rows),
  };
  return { uid, title, file: `${name}.json`, model };
}

function jobVariable(): object {
  return {
    name: 'job',
    label: 'Service',
    type: 'query',
    datasource: source,
    refresh: 2,
    sort: 1,
    query: { query: 'label_values(build_info, job)', refId: 'job' },
  };
}

/** Each row as wide as the grid, its panels side by side in threes, or in fours if that leaves no gap. */
function panelsOf(rows: Row[]): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: within } of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: gridWidth, h: 1 },
    });
    y += 1;
    const perLine = within.length % 4 === 0 ? 4 : Math.min(3, within.length);
    const width = gridWidth / perLine;
    for (const [index, one] of within.entries()) {
      const gridPos = {
        x: (index % perLine) * width,
        y: y + Math.floor(index / perLine) * panelHeight,
        w: width,
        h: panelHeight,
      };
      panels.push(panelModel(panels.length + 1, one, gridPos));
    }
    y += Math.ceil(within.length / perLine) * panelHeight;
  }
  return panels;
}

function panelModel(id: number, { title, description, unit, queries }: Panel, gridPos: object): object {
  // Exemplars, the dots that lead to a trace, belong to a histogram: one query of a panel shows them, or each dot would be there thrice.
  const withExemplars = queries.find(({ expr }) => expr.includes('_bucket'));
  return {
    id,
    type: 'timeseries',
    title,
    description,
    datasource: source,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map((one, index) => ({
      refId: String.fromCharCode(65 + index),
      datasource: source,
      expr: one.expr,
      legendFormat: one.legend,
      ...(one === withExemplars ? { exemplar: true } : {}),
    })),
  };
}
