import type { NotificationKind } from '@app/contracts';
import type { Notification } from '../../notifications/notification.ts';
import type { ReplyKind } from '../inbound/reply-address.ts';
import { separatorMarks } from '../inbound/reply-text.ts';
import type { Mail } from '../mail-message.ts';
import { type DigestMode, english, french, type Texts } from './texts.ts';

/** `actor`: the name of who did it. */
export type Told = { notification: Notification; actor: string | null };
export type Reader = { isFrench: boolean; locale: string | null; timeZone: string | null };

type Addresses = {
  /** Of the pages of the console. */
  consoleUrl: string;
  unsubscribeUrl: string;
};
type Content = { subject: string; items: Item[]; footer: string[]; separator: string | null };
type Item = { what: string; about: string; words: string; url: string };

const mention = /@\[([^\]]{1,200})\]\(user:[0-9a-f]{24}\)/g;

/** The e-mail about one notification. `answers`: what an answer becomes; null if it is none. */
export function mailOf(told: Told, reader: Reader, { answers, ...to }: Addresses & { answers: ReplyKind | null }) {
  const texts = reader.isFrench ? french : english;
  const { notification } = told;
  const item = itemOf(told, reader, to.consoleUrl);
  const subject = notification.ticket ? subjectOf(notification) : item.what;
  return render({
    subject,
    items: [item],
    separator: answers && texts.separator,
    footer: [...(answers ? [texts.answers[answers]] : []), ...ends(texts, to)],
  });
}

/** `total`: with those that are not shown. */
type Digest = { shown: Told[]; total: number; mode: DigestMode };

/** One e-mail about all of them. */
export function digestOf({ shown, total, mode }: Digest, reader: Reader, to: Addresses): Rendered {
  const texts = reader.isFrench ? french : english;
  const items = shown.map((told) => itemOf(told, reader, to.consoleUrl));
  const rest = { what: texts.more(total - shown.length), about: '', words: '', url: `${to.consoleUrl}/notifications` };
  if (total > shown.length) items.push(rest);
  return render({ subject: texts.digest(total, mode), items, separator: null, footer: ends(texts, to) });
}

/** The same for all about a ticket: mail programs show e-mails of one subject as one conversation. */
function subjectOf({ ticket }: Notification): string {
  return `[${ticket?.number}] ${ticket?.title}`.replaceAll(/\s+/g, ' ');
}

function ends({ settings, unsubscribe }: Texts, { consoleUrl, unsubscribeUrl }: Addresses): string[] {
  return [`${settings} ${consoleUrl}/account`, `${unsubscribe} ${unsubscribeUrl}`];
}

/** Their text is a time, behind the name of its clock if it has one. */
const ofTime: NotificationKind[] = ['date', 'due_soon', 'overdue'];
const noWords: NotificationKind[] = [...ofTime, 'quote', 'endpoint_fails'];

function itemOf({ notification, actor }: Told, reader: Reader, consoleUrl: string): Item {
  const { kind, ticket, invoice, endpoint, text = '' } = notification;
  const texts = reader.isFrench ? french : english;
  const [at = '', clock = ''] = text.split(' ').reverse();
  const when = [texts.due[clock], momentOf(at, reader)].filter(Boolean).join(' ');
  const detail = ofTime.includes(kind) ? when : (endpoint?.host ?? invoice?.number ?? text);
  const page = ticket ? `tickets/${ticket.id}` : invoice ? `invoices/${invoice.id}` : 'webhooks';
  return {
    what: texts.kinds[kind](actor, detail),
    about: ticket ? subjectOf(notification) : '',
    words: noWords.includes(kind) ? '' : text.replaceAll(mention, '@$1'),
    url: `${consoleUrl}/${page}`,
  };
}

function momentOf(iso: string, { locale, timeZone, isFrench }: Reader): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const named = { dateStyle: 'full', timeStyle: 'short', timeZone: timeZone ?? 'Europe/Paris' } as const;
  return new Intl.DateTimeFormat(locale ?? (isFrench ? 'fr' : 'en'), named).format(at);
}

export type Rendered = Pick<Mail, 'subject' | 'text'> & { html: string };

/** Reads without pictures, and follows the colours of the mail program. */
function render({ subject, items, footer, separator }: Content): Rendered {
  const isDigest = items.length > 1;
  const texts = items.map(({ what, about, words, url }) =>
    [what, ...(isDigest ? [about] : []), words, url].filter(Boolean).join('\n\n'),
  );
  const text = [...(separator ? [marked(separator)] : []), ...texts, `-- \n${footer.join('\n')}`].join('\n\n');
  const parts = items.map(({ what, about, words, url }) => {
    const named = about === '' ? '' : `<br><a href="${escaped(url)}">${escaped(about)}</a>`;
    const open = about === '' ? `<p><a href="${escaped(url)}">${escaped(url)}</a></p>` : '';
    const quoted = words === '' ? '' : `<blockquote style="white-space:pre-line">${escaped(words)}</blockquote>`;
    return `<p><b>${escaped(what)}</b>${named}</p>${quoted}${open}`;
  });
  const foot = footer.map((line) => escaped(line).replaceAll(/https?:\/\/\S+/g, '<a href="$&">$&</a>')).join('<br>');
  const top = separator ? `<p style="color:#888">${marked(separator)}</p>` : '';
  const html = `<!doctype html><html><meta charset="utf-8"><body style="font-family:sans-serif">${top}${parts.join('<hr>')}<hr><p style="font-size:small">${foot}</p></body></html>`;
  return { subject, text: `${text}\n`, html };
}

function marked(separator: string): string {
  return `${separatorMarks[0]} ${separator} ${separatorMarks[1]}`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] as string);
}
