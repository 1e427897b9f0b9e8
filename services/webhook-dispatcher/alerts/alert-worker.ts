import type { Logger } from '@app/runtime';
import { type MailClient, MailError } from '@app/runtime/mail';
import { createPoller, type Poller } from '@app/work-queue';
import { type AlertedEndpoint, alertMail, isExpired } from './alert.ts';
import type { AlertRecipientStore } from './alert-recipient-store.ts';
import type { AlertStore } from './alert-store.ts';

type Deps = {
  alerts: AlertStore;
  recipients: AlertRecipientStore;
  mail: MailClient;
  /** Link in the e-mails, if any. */
  docsUrl: string | null;
  pollEveryMs: number;
  logger: Logger;
  now: () => Date;
};

/**
 * E-mails companies about endpoints that are failing or disabled, since webhooks cannot tell them.
 */
export class AlertWorker {
  readonly #deps: Deps;
  readonly #poller: Poller;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#poller = createPoller({
      run: () => this.#sendDue(),
      everyMs: deps.pollEveryMs,
      immediate: true,
      onError: (error) => deps.logger.warn('due alerts could not be queried', { error }),
    });
  }

  start(): void {
    this.#poller.start();
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
    this.#deps.mail.close();
  }

  /** Sends the due alerts of one company; false if there are none. */
  async #sendDue(): Promise<boolean> {
    const { alerts, now: clock } = this.#deps;
    const due = await alerts.claim(clock());
    if (due === null) return false;
    const now = clock();
    // Alerts expire while e-mail is off.
    await alerts.markSent(due.filter(({ alert }) => isExpired(alert, now)));
    const current = due.filter(({ alert }) => !isExpired(alert, now));
    if (current.length > 0) await this.#send(current);
    return true;
  }

  async #send(endpoints: AlertedEndpoint[]): Promise<void> {
    const { alerts, recipients, mail, docsUrl, logger, now } = this.#deps;
    const companyId = endpoints[0]?.companyId ?? '';
    const ids = { companyId, endpointIds: endpoints.map(({ id }) => id) };
    const to = await recipients.addresses(companyId);
    if (to.length === 0) {
      logger.warn('alert without recipients', ids);
      return alerts.markSent(endpoints);
    }
    try {
      await mail.send(alertMail(endpoints, to, docsUrl));
      logger.info('alert sent', { ...ids, addresses: to.length });
    } catch (error) {
      const { message, final } = error instanceof MailError ? error : { message: String(error), final: false };
      const givenUp = final ? endpoints : await alerts.reschedule(endpoints, now());
      logger.warn('alert not sent', { ...ids, reason: message, givenUp: givenUp.length });
      if (!final) return undefined;
    }
    return alerts.markSent(endpoints);
  }
}
