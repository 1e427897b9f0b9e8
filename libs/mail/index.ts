export { createMailClient, type Mail, type MailClient, MailError, type MailServer } from './mail-client.ts';
export { mailServerOf, smtpFrom, smtpUrl } from './mail-settings.ts';
