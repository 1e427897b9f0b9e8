import { createInvoiceReader, providers } from '@app/providers';
import { runService } from '@app/service';
import { openStorage } from '@app/storage';
import { createApp } from './app.ts';
import { limitsOf, loadSettings } from './config.ts';
import { migrations } from './migrations/index.ts';
import { restoredDatabase } from './restore/restored-database.ts';

runService({
  name: 'connection',
  loadSettings,
  migrations,
  restored: restoredDatabase,
  createApp(service) {
    const { settings, connection: database, onStop } = service;
    const reader = createInvoiceReader({ slowMayWait: true });
    onStop('invoice reader', () => reader.close());
    const app = createApp({
      ...service,
      database,
      reader,
      storage: openStorage(service),
      providers: providers(settings),
      credentialsKeys: settings.CREDENTIALS_KEYS,
      publicUrl: settings.PUBLIC_TS_API_URL,
      limits: limitsOf(settings),
    });
    return { handler: app.handler, subscribe: app.subscribe, workers: { jobs: app } };
  },
});
