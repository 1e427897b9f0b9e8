import { createInvoiceReader, providerOf } from '@app/providers';
import { runService } from '@app/service';
import { createUrlSigner, openStorage } from '@app/storage';
import { createApp } from './app.ts';
import { loadSettings, workOf } from './config.ts';
import { migrations } from './migrations/index.ts';
import { restoredDatabase } from './restore/restored-database.ts';

runService({
  name: 'invoice-reconciliation',
  loadSettings,
  migrations,
  restored: restoredDatabase,
  createApp({ settings, ...service }) {
    // A busy reader refuses documents instead of queueing them: otherwise the slow documents of one
    // company would occupy the consumer, for all companies.
    const reader = createInvoiceReader({ slowMayWait: false });
    service.onStop('invoice reader', () => reader.close());
    const { handler, subscribe, relay, worker, statistics } = createApp({
      ...service,
      providerOf,
      reader,
      storage: openStorage({ ...service, settings }),
      links: createUrlSigner({ keys: settings.DOWNLOAD_LINK_KEYS, baseUrl: settings.PUBLIC_DOWNLOAD_URL }),
      ticketUrl: settings.TICKET_URL,
      connectionUrl: settings.CONNECTION_URL,
      settings: workOf(settings),
    });
    return { handler, subscribe, workers: { relay, worker, statistics } };
  },
});
