import type { NotificationKind } from '@app/contracts';
import type { EmailMode } from '../../notifications/notification-settings.ts';
import type { ReplyKind } from '../inbound/reply-address.ts';

export type DigestMode = Extract<EmailMode, 'daily' | 'weekly'>;

export type Texts = {
  /** What happened. `actor`: who did it, if anybody; `detail`: date, what is due when, reference or host. */
  kinds: Record<NotificationKind, (actor: string | null, detail: string) => string>;
  /** By the names of clocks: a date follows. */
  due: Record<string, string>;
  separator: string;
  /** What an answer becomes. */
  answers: Record<ReplyKind, string>;
  settings: string;
  unsubscribe: string;
  digest(count: number, mode: DigestMode): string;
  more(count: number): string;
  page: { title: string; ask: string; button: string; done: string };
};

export const english: Texts = {
  kinds: {
    assigned: (actor) => (actor ? `${actor} assigned the ticket to you` : 'The ticket was assigned to you'),
    proposal: () => 'A ticket is proposed to your company',
    quote: (_, reference) => `A quote waits for your decision: ${reference}`,
    date: (_, date) => `A date was proposed or set: ${date}`,
    note: (actor) => `${actor ?? 'Somebody'} wrote a note`,
    mention: (actor) => `${actor ?? 'Somebody'} mentioned you in a note`,
    due_soon: (_, due) => `A deadline is near: ${due}`,
    overdue: (_, due) => `A deadline has passed: ${due}`,
    invoice_waits: (_, number) => (number ? `Invoice ${number} waits for you` : 'An invoice waits for you'),
    endpoint_fails: (_, host) => `Webhooks cannot be delivered to ${host}`,
  },
  due: { response: 'response due', arrival: 'arrival due', finish: 'finish due' },
  separator: 'Please write your answer above this line',
  answers: {
    public: 'Answer this e-mail to add a note that every company on the ticket reads.',
    internal: 'Answer this e-mail to add a note that your company alone reads.',
    managers: 'Answer this e-mail to add a note that the managers of the ticket alone read.',
    bounce: '',
  },
  settings: 'Choose what you are told of by e-mail:',
  unsubscribe: 'No more e-mails of this kind:',
  digest: (count, mode) =>
    `Your ${mode === 'daily' ? 'day' : 'week'}: ${count} ${count === 1 ? 'notification' : 'notifications'}`,
  more: (count) => `and ${count} more in your list`,
  page: {
    title: 'Notifications by e-mail',
    ask: 'Do you want no more e-mails of this kind? You still find the notifications in the console.',
    button: 'No more e-mails',
    done: 'You get no more e-mails of this kind. You can choose them again in your account.',
  },
};

export const french: Texts = {
  kinds: {
    assigned: (actor) => (actor ? `${actor} vous a attribué le ticket` : 'Le ticket vous a été attribué'),
    proposal: () => 'Un ticket est proposé à votre société',
    quote: (_, reference) => `Un devis attend votre décision : ${reference}`,
    date: (_, date) => `Une date a été proposée ou fixée : ${date}`,
    note: (actor) => `${actor ?? 'Quelqu’un'} a écrit une note`,
    mention: (actor) => `${actor ?? 'Quelqu’un'} vous a mentionné dans une note`,
    due_soon: (_, due) => `Une échéance approche : ${due}`,
    overdue: (_, due) => `Une échéance est dépassée : ${due}`,
    invoice_waits: (_, number) => (number ? `La facture ${number} vous attend` : 'Une facture vous attend'),
    endpoint_fails: (_, host) => `Les webhooks n’arrivent plus à ${host}`,
  },
  due: { response: 'réponse attendue le', arrival: 'arrivée attendue le', finish: 'fin attendue le' },
  separator: 'Écrivez votre réponse au-dessus de cette ligne',
  answers: {
    public: 'Répondez à cet e-mail pour ajouter une note que toutes les sociétés du ticket lisent.',
    internal: 'Répondez à cet e-mail pour ajouter une note que seule votre société lit.',
    managers: 'Répondez à cet e-mail pour ajouter une note que seuls les responsables du ticket lisent.',
    bounce: '',
  },
  settings: 'Choisissez ce qui vous est envoyé par e-mail :',
  unsubscribe: 'Plus d’e-mails de ce type :',
  digest: (count, mode) =>
    `Votre ${mode === 'daily' ? 'journée' : 'semaine'} : ${count} ${count === 1 ? 'notification' : 'notifications'}`,
  more: (count) => `et ${count} ${count === 1 ? 'autre' : 'autres'} dans votre liste`,
  page: {
    title: 'Notifications par e-mail',
    ask: 'Ne voulez-vous plus recevoir d’e-mails de ce type ? Vous retrouvez les notifications dans la console.',
    button: 'Plus d’e-mails',
    done: 'Vous ne recevez plus d’e-mails de ce type. Vous pouvez les choisir à nouveau dans votre compte.',
  },
};
