import { runService } from '@app/service';
import { createResolve } from '@app/ssrf-guard';
import { createApp } from './app.ts';
import { loadSettings, mailOf, sendingOf } from './config.ts';

runService({
  name: 'webhook-dispatcher',
  loadSettings,
  createApp({ settings, ...service }) {
    const app = createApp({
      ...service,
      resolve: createResolve(),
      credentialsKeys: settings.CREDENTIALS_KEYS,
      settings: sendingOf(settings),
      mail: mailOf(settings),
    });
    return { handler: app.http, prepare: app.prepare, subscribe: app.subscribe, workers: { sender: app } };
  },
});
