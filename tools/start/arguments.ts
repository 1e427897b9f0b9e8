import { parseOptions, UsageError } from './infra/index.ts';

export type Arguments = {
  fresh: boolean;
  demo: boolean;
  /** The demo companies get a week of work. */
  demoWeek: boolean;
  /** And the year before it. */
  demoYear: boolean;
  /** Nothing is fetched. */
  isOffline: boolean;
  portBase: number;
  /** A terminal shows every line that services log. */
  verbose: boolean;
};

export const usage = `Usage: npm start -- [options]

Starts the whole platform on this machine, with a MongoDB and a RabbitMQ that are found or fetched. Ctrl-C stops it.
Fetched once for all clones, into ~/.cache/facility-platform, where neither Docker nor the machine has them: MongoDB (60 to 90 MB, Linux
and macOS) and on Debian and Ubuntu RabbitMQ (35 MB), half a minute in all. Nothing is installed, and it needs no rights.

  --fresh          start from empty data
  --no-demo        leave the demo data out
  --no-demo-week   add the demo companies and users alone, without their week of tickets and invoices
  --demo-year      with --fresh: fill the demo companies with a year of work, 3,000 tickets and 1,500 invoices, in some ten minutes
  --no-install     use what is on this machine: fetch no MongoDB and no RabbitMQ
  --port-base N    move every port: the ticket API on N, the second API on N+1, downloads on N+2,
                   what is inside from N+10 to N+53 (default 4000)
  --verbose        show every line in the terminal, requests too; they are in .stack/log anyway
  --help           show this

MONGODB_URL and AMQP_URL in the environment are used as they are; STACK_DIR is where data and keys are kept (default
.stack); any other setting reaches the services. With NODE_ENV=production webhooks reach public addresses alone, and there
is no sandbox provider, no trust in the development certificates of .stack/tls, and no demo data.`;

const defaultPortBase = 4000;
/** The highest offset of any port (`port-plan.ts`). */
export const portSpan = 53;

const options = {
  fresh: { type: 'boolean' },
  'no-demo': { type: 'boolean' },
  'no-demo-week': { type: 'boolean' },
  'demo-year': { type: 'boolean' },
  'no-install': { type: 'boolean' },
  'port-base': { type: 'string' },
  verbose: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** @returns the arguments, or null for `--help`. @throws UsageError */
export function parseArguments(args: string[]): Arguments | null {
  const { values } = parseOptions(args, options);
  if (values.help) return null;
  return {
    fresh: values.fresh ?? false,
    demo: !values['no-demo'],
    demoWeek: !values['no-demo-week'],
    demoYear: values['demo-year'] ?? false,
    isOffline: values['no-install'] ?? false,
    portBase: portBaseOf(values['port-base']),
    verbose: values.verbose ?? false,
  };
}

function portBaseOf(text: string | undefined): number {
  if (text === undefined) return defaultPortBase;
  const base = Number(text);
  if (/^\d+$/.test(text) && base >= 1024 && base + portSpan <= 65_535) return base;
  throw new UsageError(`--port-base takes a number from 1024 to ${65_535 - portSpan}, not '${text}'.`);
}
