import type { Refusal } from './inbound/refusal-mail.ts';
import type { Mail } from './mail-message.ts';

/** An e-mail to be sent to an address, if it is a user's. It holds no secret: the link is made when it is sent. */
export type AccountMail = {
  id: string;
  kind: LinkKind | 'refusal';
  /** Lower case. */
  email: string;
  /** The user who is invited; null: whoever has the address. */
  user_id: string | null;
  /** BCP 47: the language of the request, for a user without a preference. */
  locale: string | null;
  created_at: Date;
  /** The number of failed tries. */
  tries: number;
  /** Why an answer of the address became no note. */
  refusal?: Refusal;
};

type LinkKind = 'invitation' | 'password_reset';

/**
 * What the e-mail says. Decided once its user is read: a user who may not have a password is told
 * how to sign in instead.
 */
export type MailPurpose = LinkKind | 'single_sign_on';

export const linkLifetimeMs: Record<LinkKind, number> = {
  invitation: 7 * 24 * 3_600_000,
  password_reset: 3_600_000,
};

/** How long an e-mail is retried: after that nobody waits for it. */
export const mailLifetimeMs: Record<AccountMail['kind'], number> = {
  invitation: 24 * 3_600_000,
  password_reset: 3_600_000,
  refusal: 24 * 3_600_000,
};
/** When an e-mail of a closed company is looked at again. */
export const closedRetryMs = 300_000;
const retryDelaysMs = [10_000, 60_000, 300_000, 900_000, 3_600_000];

/** When what failed so often is tried again. */
export function retryAt(tries: number, now: Date): Date {
  return new Date(now.getTime() + (retryDelaysMs[Math.min(tries, retryDelaysMs.length - 1)] ?? 0));
}

/** When an e-mail that could not be sent is tried again; null if its lifetime ends before. */
export function mailRetryAt({ kind, created_at, tries }: AccountMail, now: Date): Date | null {
  const next = retryAt(tries, now);
  return next.getTime() - created_at.getTime() > mailLifetimeMs[kind] ? null : next;
}

type Content = { purpose: MailPurpose; locale: string | null; company: string; url: string };

/**
 * The e-mail in French or English. It contains the company's name, which only the platform's administrator sets, but
 * nothing that users write: nobody may send their own texts to strangers through us.
 */
export function mailText({ purpose, locale, company, url }: Content): Pick<Mail, 'subject' | 'text'> {
  const { subject, lines } = (isFrench(locale) ? french : english)[purpose](company, url);
  return { subject, text: `${lines.join('\n\n')}\n` };
}

export function isFrench(locale: string | null): boolean {
  return locale?.toLowerCase().split('-')[0] === 'fr';
}

type Text = (company: string, url: string) => { subject: string; lines: string[] };

const english: Record<MailPurpose, Text> = {
  invitation: (company, url) => ({
    subject: `Your account at ${company}`,
    lines: [
      'Hello,',
      `${company} has made an account for you. Choose your password here, within 7 days:`,
      url,
      'If you did not expect this e-mail, you need not do anything.',
    ],
  }),
  password_reset: (company, url) => ({
    subject: 'Your new password',
    lines: [
      'Hello,',
      `Somebody, probably you, asked for a new password for your account at ${company}. Choose it here, within an hour:`,
      url,
      'If it was not you, you need not do anything: your password stays as it is.',
    ],
  }),
  single_sign_on: (company, url) => ({
    subject: 'How you sign in',
    lines: [
      'Hello,',
      `Somebody, probably you, asked for a password for your account at ${company}. You need none: you sign in with the account that ${company} has given you, here:`,
      url,
      'If it was not you, you need not do anything.',
    ],
  }),
};

const french: Record<MailPurpose, Text> = {
  invitation: (company, url) => ({
    subject: `Votre compte chez ${company}`,
    lines: [
      'Bonjour,',
      `${company} vous a créé un compte. Choisissez votre mot de passe ici, dans les 7 jours :`,
      url,
      'Si vous n’attendiez pas cet e-mail, vous n’avez rien à faire.',
    ],
  }),
  password_reset: (company, url) => ({
    subject: 'Votre nouveau mot de passe',
    lines: [
      'Bonjour,',
      `Quelqu’un, sans doute vous, a demandé un nouveau mot de passe pour votre compte chez ${company}. Choisissez-le ici, dans l’heure :`,
      url,
      'Si ce n’était pas vous, vous n’avez rien à faire : votre mot de passe ne change pas.',
    ],
  }),
  single_sign_on: (company, url) => ({
    subject: 'Comment vous connecter',
    lines: [
      'Bonjour,',
      `Quelqu’un, sans doute vous, a demandé un mot de passe pour votre compte chez ${company}. Il n’en faut pas : vous vous connectez avec le compte que ${company} vous a donné, ici :`,
      url,
      'Si ce n’était pas vous, vous n’avez rien à faire.',
    ],
  }),
};
