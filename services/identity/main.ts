import { runService } from '@app/service';
import { createApp } from './app.ts';
import { answersOf, loadSettings, mailServerOf, platformAdminTokensOf } from './config.ts';
import { migrations } from './migrations/index.ts';
import { restoredDatabase } from './restore/restored-database.ts';

runService({
  name: 'identity',
  loadSettings,
  migrations,
  restored: restoredDatabase,
  createApp({ settings, ...service }) {
    const { handler, subscribe, relay, mailWorker } = createApp({
      ...service,
      sessionKeys: settings.SESSION_KEYS,
      platformAdminTokens: platformAdminTokensOf(settings),
      secureCookie: settings.PUBLIC_TS_API_URL.startsWith('https:'),
      publicUrl: settings.PUBLIC_TS_API_URL,
      sso: {
        keys: settings.CREDENTIALS_KEYS ?? [],
        allowNetworks: settings.SSO_ALLOW_NETWORKS,
        dnsServers: settings.SSO_DNS_SERVERS,
      },
      mail: mailServerOf(settings),
      answers: answersOf(settings),
      mailsPerDay: settings.NOTIFICATION_MAILS_PER_DAY,
    });
    return { handler, subscribe, workers: { relay, ...(mailWorker && { mail: mailWorker }) } };
  },
});
