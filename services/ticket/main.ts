import { runService } from '@app/service';
import { createUrlSigner, openStorage } from '@app/storage';
import { createApp } from './app.ts';
import { loadSettings } from './config.ts';
import { migrations } from './migrations/index.ts';
import { createThumbnails } from './pictures/thumbnails.ts';
import { restoredDatabase } from './restore/restored-database.ts';

runService({
  name: 'ticket',
  loadSettings,
  migrations,
  restored: restoredDatabase,
  createApp(service) {
    const { settings, logger } = service;
    const storage = openStorage(service);
    const thumbnails = createThumbnails({ storage, logger });
    service.onStop('thumbnails', () => thumbnails.close());
    const { handler, subscribe, relay, timers, uploads, erasures, exports, statistics } = createApp({
      ...service,
      storage,
      thumbnails,
      links: createUrlSigner({ keys: settings.DOWNLOAD_LINK_KEYS, baseUrl: settings.PUBLIC_DOWNLOAD_URL }),
      identityUrl: settings.IDENTITY_URL,
      baseUrl: withoutEndSlash(settings.PUBLIC_TICKET_API_URL),
      consoleUrl: settings.PUBLIC_CONSOLE_URL === undefined ? null : withoutEndSlash(settings.PUBLIC_CONSOLE_URL),
      proposalLifetimeMs: settings.PROPOSAL_EXPIRES_AFTER ?? null,
      strictClose: settings.STRICT_CLOSE,
      timerIntervalMs: settings.TIMER_INTERVAL,
    });
    return { handler, subscribe, workers: { relay, timers, uploads, erasures, exports, statistics } };
  },
});

function withoutEndSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}
