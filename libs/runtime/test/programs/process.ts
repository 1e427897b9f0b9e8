import { setTimeout as later } from 'node:timers/promises';
import { createLogger } from '../../logger.ts';
import { type Process, type ProcessOptions, runProcess } from '../../run-process.ts';
import { type CommonSettings, ConfigError } from '../../settings/config.ts';

const logger = createLogger({ service: 'probe', level: 'info', production: true });
const keepAlive = () => setInterval(() => undefined, 1000);

/** How a service may start and stop; the test names one. */
const starts: Record<string, (lifecycle: Process<CommonSettings>) => Promise<void>> = {
  async usual({ onStop }) {
    const timer = keepAlive();
    onStop('first', () => {
      clearInterval(timer);
      logger.info('undone', { part: 'first' });
    });
    onStop('second', async () => {
      await later(20);
      logger.info('undone', { part: 'second' });
    });
    onStop('third', async () => {
      logger.info('undone', { part: 'third' });
      throw new Error('third does not want to');
    });
  },
  async badSettings({ onStop }) {
    onStop('part', () => undefined);
    throw new ConfigError('The settings in the environment are not usable:\n  "X" is required');
  },
  async failing({ onStop }) {
    onStop('first', () => logger.info('undone', { part: 'first' }));
    throw new Error('no database');
  },
  async slow({ onStop }) {
    keepAlive();
    const stopped = new Promise<never>((_resolve, reject) => {
      onStop('first', async () => {
        reject(new Error('stopped while connecting'));
        await later(20);
        logger.info('undone', { part: 'first' });
      });
    });
    logger.info('ready');
    await stopped;
  },
  async hanging({ onStop }) {
    keepAlive();
    onStop('deaf', () => new Promise(() => undefined));
  },
  async crashing({ onStop }) {
    onStop('first', () => logger.info('undone', { part: 'first' }));
    setTimeout(() => Promise.reject(new Error('nobody awaits me')), 10);
    keepAlive();
  },
};

const start = starts[process.argv[2] ?? ''];
if (!start) throw new Error('name a way to start');
const settings: CommonSettings = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  HOST: '',
  OPS_PORT: 1,
  NAMESPACE: '',
  DRAIN_DELAY: Number(process.argv[4] ?? 0),
  OTEL_TRACES_SAMPLER_ARG: 1,
};
const options: ProcessOptions<CommonSettings> = {
  name: 'probe',
  loadSettings: () => settings,
  async start(context) {
    await start(context);
    logger.info('ready');
  },
  stopDeadlineMs: 300,
};
// As if loading the code took several turns of the event loop.
if (process.argv[3] === 'late') setTimeout(() => runProcess(options), 100);
else runProcess(options);
