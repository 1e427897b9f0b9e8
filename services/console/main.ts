// No database, secrets or calls: the gateway routes `/console` here, so that pages and APIs are one origin, whose session is a cookie that
// no script reads, without CORS.
import { listen, listenOps, Readiness } from '@app/http';
import { runProcess } from '@app/runtime';
import { createApp } from './app.ts';
import { loadSettings, publicUrlsOf } from './config.ts';

runProcess({
  name: 'console',
  loadSettings,
  async start({ settings, logger, onStop, draining }) {
    const { HOST: host, PORT, OPS_PORT } = settings;
    const readiness = new Readiness(draining);
    const ops = await listenOps({ host, port: OPS_PORT, readiness });
    onStop('operations', () => ops.close());
    // Fails without a build: a process that has nothing to serve must not become ready.
    const app = createApp({ folder: import.meta.dirname, publicUrls: publicUrlsOf(settings) });
    const http = await listen(app, { host, port: PORT, draining });
    onStop('requests', () => http.close());
    readiness.waitFor(null);
    logger.info('ready', { port: http.port });
  },
});
