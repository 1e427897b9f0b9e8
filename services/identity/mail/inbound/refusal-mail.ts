import type { Mail } from '@app/runtime/mail';

/** Why an answer became no note, or not all of one. */
export type RefusalReason =
  | 'address'
  | 'sender'
  | 'ticket'
  | 'empty'
  | 'too_long'
  | 'too_large'
  | 'unreadable'
  | 'failed'
  | 'files';
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
    address:
      'The address that you answered to does not exist, or is older than 180 days. Write your note in the console.',
    sender:
      'An answer is taken from the address alone that our e-mail was sent to, while its account may write on the ticket. Answer from that address, or write your note in the console.',
    ticket: 'You may not write on this ticket any more: it is closed, or not yours to see.',
    empty: 'There was nothing in your answer besides what it quotes. Write above the quoted text.',
    too_long: 'Your answer is longer than the 10,000 characters of a note. Shorten it, or attach it as a PDF.',
    too_large: 'Your e-mail is larger than 10 MB. Send fewer files, or add them in the console.',
    unreadable: 'Your e-mail could not be read. Write your note in the console.',
    failed: 'Your answer could not be added for half a day. Write your note in the console.',
    files:
      'Your note was added, but not these files. PDF, PNG and JPEG are taken, ten of an e-mail; not with a note for managers alone, since everybody of your company could see them.',
  },
  end: 'You are told so at most once a day.',
};

const french: Texts = {
  subject: 'Votre réponse n’a pas été prise en compte',
  hello: 'Bonjour,',
  reasons: {
    address:
      'L’adresse à laquelle vous avez répondu n’existe pas, ou date de plus de 180 jours. Écrivez votre note dans la console.',
    sender:
      'Une réponse n’est acceptée que de l’adresse à laquelle notre e-mail a été envoyé, tant que son compte peut écrire sur le ticket. Répondez depuis cette adresse, ou écrivez votre note dans la console.',
    ticket: 'Vous ne pouvez plus écrire sur ce ticket : il est clos, ou vous ne le voyez plus.',
    empty: 'Votre réponse ne contient rien d’autre que le texte cité. Écrivez au-dessus de celui-ci.',
    too_long: 'Votre réponse dépasse les 10 000 caractères d’une note. Raccourcissez-la, ou joignez-la en PDF.',
    too_large: 'Votre e-mail dépasse 10 Mo. Envoyez moins de fichiers, ou ajoutez-les dans la console.',
    unreadable: 'Votre e-mail n’a pas pu être lu. Écrivez votre note dans la console.',
    failed: 'Votre réponse n’a pas pu être ajoutée pendant une demi-journée. Écrivez votre note dans la console.',
    files:
      'Votre note a été ajoutée, mais pas ces fichiers. Les PDF, PNG et JPEG sont acceptés, dix par e-mail ; pas avec une note réservée aux responsables, que toute votre société pourrait alors voir.',
  },
  end: 'Vous en êtes informé au plus une fois par jour.',
};
