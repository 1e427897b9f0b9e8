import type { Mail } from '../mail-message.ts';

/** Why an answer became no note, or not all of one. */
export type RefusalReason = 'sender' | 'ticket' | 'content' | 'failed' | 'files';
/** `files`: the names of attached files that were not taken. */
export type Refusal = { reason: RefusalReason; files: string[] };

const maxNames = 20;

/** The e-mail that tells somebody why. It holds nothing of what was sent but the names of files. */
export function refusalMail({ reason, files }: Refusal, isFrench: boolean): Pick<Mail, 'subject' | 'text'> {
  const { subject, hello, reasons, end } = isFrench ? french : english;
  const names = files.slice(0, maxNames).map((name) => `- ${name}`);
  return {
    subject,
    text: `${[hello, reasons[reason], ...(names.length > 0 ? [names.join('\n')] : []), end].join('\n\n')}\n`,
  };
}

type Texts = { subject: string; hello: string; reasons: Record<RefusalReason, string>; end: string };

const english: Texts = {
  subject: 'Your answer was not taken',
  hello: 'Hello,',
  reasons: {
    sender:
      'An answer is taken from the address that our e-mail was sent to alone, for 180 days, while its account may write on the ticket. Otherwise write your note in the console.',
    ticket: 'You may not write on this ticket any more: it is closed, or not yours to see.',
    content:
      'There is nothing in it besides what it quotes, or it is longer than the 10,000 characters of a note, or larger than 10 MB.',
    failed: 'It could not be read, or not be added for half a day. Write your note in the console.',
    files:
      'Your note was added, but not these files. PDF, PNG and JPEG are taken, ten of an e-mail; none with a note for managers, since everybody of your company could see it.',
  },
  end: 'You are told so at most once a day.',
};

const french: Texts = {
  subject: 'Votre réponse n’a pas été prise en compte',
  hello: 'Bonjour,',
  reasons: {
    sender:
      'Une réponse n’est acceptée que de l’adresse à laquelle notre e-mail a été envoyé, pendant 180 jours, tant que son compte peut écrire sur le ticket. Sinon, écrivez votre note dans la console.',
    ticket: 'Vous ne pouvez plus écrire sur ce ticket : il est clos, ou vous ne le voyez plus.',
    content: 'Elle ne contient rien d’autre que le texte cité, ou dépasse les 10 000 caractères d’une note, ou 10 Mo.',
    failed: 'Elle n’a pas pu être lue, ou ajoutée pendant une demi-journée. Écrivez votre note dans la console.',
    files:
      'Votre note a été ajoutée, mais pas ces fichiers. Les PDF, PNG et JPEG sont acceptés, dix par e-mail ; aucun avec une note réservée aux responsables, que toute votre société pourrait voir.',
  },
  end: 'Vous en êtes informé au plus une fois par jour.',
};
