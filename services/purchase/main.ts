import { runService } from '@app/service';
import { openStorage } from '@app/storage';
import { createApp } from './app.ts';
import { loadSettings } from './config.ts';
import { migrations } from './migrations/index.ts';
import { restoredDatabase } from './restore/restored-database.ts';

runService({
  name: 'purchase',
  loadSettings,
  migrations,
  restored: restoredDatabase,
  createApp(service) {
    const { handler, subscribe, relay, supplierAssignment, uploads } = createApp({
      ...service,
      storage: openStorage(service),
      ticketUrl: service.settings.TICKET_URL,
    });
    return { handler, subscribe, workers: { relay, supplierAssignment, uploads } };
  },
});
