import { runService } from '@app/service';
import { createUrlSigner, openStorage } from '@app/storage';
import { createApp } from './app.ts';
import { loadSettings } from './config.ts';
import { fillBuckets } from './tickets/ticket-model-store.ts';

runService({
  name: 'ticket',
  loadSettings,
  createApp(service) {
    const { settings, connection, logger } = service;
    const { handler, subscribe, relay, timers, uploads } = createApp({
      ...service,
      storage: openStorage(service),
      links: createUrlSigner({ keys: settings.DOWNLOAD_LINK_KEYS, baseUrl: settings.PUBLIC_DOWNLOAD_URL }),
      identityUrl: settings.IDENTITY_URL,
      baseUrl: settings.PUBLIC_TICKET_API_URL.replace(/(?<!\/)\/+$/, ''),
      proposalLifetimeMs: settings.PROPOSAL_EXPIRES_AFTER ?? null,
      strictClose: settings.STRICT_CLOSE,
      timerIntervalMs: settings.TIMER_INTERVAL,
    });
    return {
      ...{ handler, subscribe },
      workers: { relay, timers, uploads },
      async prepare() {
        const tickets = await fillBuckets(connection, new Date());
        if (tickets > 0) logger.info('tickets of the previous version are in order of their time', { tickets });
      },
    };
  },
});
