import { randomUUID } from 'node:crypto';
import { snapshotsRequested } from '@app/contracts';
import { type Broker, toCloudEvents } from '@app/messaging';
import type { Logger } from '@app/runtime';
import type { ContactStore } from './contact-store.ts';
import { type MailClient, MailError } from './mail-client.ts';
import { isTooOld, type Noticed, noticeMail } from './notice.ts';
import type { NoticeStore } from './notice-store.ts';

/** Tells companies of trouble with their endpoints, by e-mail: a way that does not lead through what is broken. */
export type Teller = { start(): void; stop(): Promise<void> };

type Deps = {
  notices: NoticeStore;
  contacts: ContactStore;
  mail: MailClient;
  broker: Pick<Broker, 'publish'>;
  docsUrl: string | null;
  sweepEveryMs: number;
  logger: Logger;
};

export function createTeller({ notices, contacts, mail, broker, docsUrl, sweepEveryMs, logger }: Deps): Teller {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let sweeping: Promise<void> = Promise.resolve();

  async function tell(noticed: Noticed[]): Promise<void> {
    const companyId = noticed[0]?.companyId ?? '';
    const ids = { companyId, endpointIds: noticed.map(({ id }) => id) };
    const to = await contacts.addresses(companyId);
    if (to.length === 0) {
      logger.warn('nobody to tell of endpoints in trouble', ids);
      return notices.told(noticed);
    }
    try {
      await mail.send(noticeMail(noticed, to, docsUrl));
      logger.info('company told of endpoints in trouble', { ...ids, addresses: to.length });
    } catch (error) {
      const { message, final } = error instanceof MailError ? error : { message: String(error), final: false };
      const givenUp = final ? noticed : await notices.putOff(noticed, new Date());
      logger.warn('cannot tell of endpoints in trouble', { ...ids, reason: message, givenUp: givenUp.length });
      if (!final) return undefined;
    }
    return notices.told(noticed);
  }

  /** Those who were there before this service listened; asked for once. */
  async function askForUsers(): Promise<void> {
    if (!(await contacts.mustAsk())) return;
    const at = new Date();
    const wanted = snapshotsRequested({ request_id: randomUUID(), kind: 'users', after: null }, at);
    await broker.publish(toCloudEvents('webhook-dispatcher', [wanted]));
    await contacts.asked(at);
  }

  async function sweep(): Promise<void> {
    await askForUsers();
    while (!stopped) {
      const noticed = await notices.take(new Date());
      if (noticed === null) return;
      const now = new Date();
      // From a time when e-mail was off.
      await notices.told(noticed.filter(({ notice }) => isTooOld(notice, now)));
      const fresh = noticed.filter(({ notice }) => !isTooOld(notice, now));
      if (fresh.length > 0) await tell(fresh);
    }
  }

  function sweepLater(delayMs: number): void {
    timer = setTimeout(() => {
      sweeping = sweep()
        .catch((error) => logger.warn('cannot look for notices', { error }))
        .finally(() => !stopped && sweepLater(sweepEveryMs));
    }, delayMs);
  }

  return {
    start: () => sweepLater(0),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await sweeping;
      mail.close();
    },
  };
}
