import { runService } from '@app/service';
import { openStorage } from '@app/storage';
import { createApp } from './app.ts';
import { loadSettings } from './config.ts';

runService({
  name: 'purchase',
  loadSettings,
  createApp(service) {
    const { handler, subscribe, relay, supplierAssignment, uploads } = createApp({
      ...service,
      storage: openStorage(service),
      ticketUrl: service.settings.TICKET_URL,
    });
    return { handler, subscribe, workers: { relay, supplierAssignment, uploads } };
  },
});
