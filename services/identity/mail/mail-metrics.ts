import { Counter } from 'prom-client';

export const countInbound = new Counter({
  name: 'mail_inbound_total',
  help: 'E-mails that came in, by what became of them: noted, refused, bounced or ignored',
  labelNames: ['result'] as const,
});

export const countSent = new Counter({
  name: 'mail_sent_total',
  help: 'Notifications that the mail server took (sent), or refused for good (failed)',
  labelNames: ['result'] as const,
});
