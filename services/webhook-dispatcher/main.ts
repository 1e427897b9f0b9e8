import { createResolve } from '@app/runtime/ssrf-guard';
import { runService } from '@app/service';
import { createApp } from './app.ts';
import { loadSettings, sendingOf } from './config.ts';
import { migrations } from './migrations/index.ts';
import { restoredDatabase } from './restore/restored-database.ts';

runService({
  name: 'webhook-dispatcher',
  loadSettings,
  migrations,
  restored: restoredDatabase,
  createApp({ settings, ...service }) {
    const app = createApp({
      ...service,
      resolve: createResolve(),
      credentialsKeys: settings.CREDENTIALS_KEYS,
      settings: sendingOf(settings),
    });
    return { handler: app.http, subscribe: app.subscribe, workers: { sender: app } };
  },
});
