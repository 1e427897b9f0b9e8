export type { Mail } from './mail.ts';
export { createMailClient, type MailClient, MailError, type MailServer } from './mail-client.ts';
export { mailServerOf, smtpFrom, smtpUrl } from './mail-settings.ts';
