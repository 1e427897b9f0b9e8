import type { en } from './texts.en.ts';

export const fr: typeof en = {
  seeAll: 'Tout voir',
  settings: 'Réglages des notifications',
  settingsHint: 'Ce qui vous est signalé, dans cette console et par e-mail\u00a0: uniquement ce que vous pouvez voir.',
  none: 'Rien ces 90 derniers jours',
  unread: 'non lue',
  markRead: (kind, name) => `Marquer comme lue\u00a0: ${kind}, ${name}`,
  markAllRead: 'Tout marquer comme lu',
  kind: 'Quoi',
  inConsole: 'Dans la console',
  byEmail: 'Par e-mail',
  emails: { now: 'Immédiatement', daily: 'Une fois par jour', weekly: 'Le lundi', never: 'Jamais' },
  due: { response: 'Réponse attendue le', arrival: 'Arrivée attendue le', finish: 'Fin attendue le' },
  kinds: {
    assigned: 'Vous est affecté',
    proposal: 'Proposition à traiter',
    quote: 'Devis à valider',
    date: 'Date prévue',
    note: 'Nouvelle note',
    mention: 'Vous êtes mentionné',
    due_soon: 'Échéance proche',
    overdue: 'Échéance dépassée',
    invoice_waits: 'Facture à traiter',
    endpoint_fails: 'Webhook en échec',
  },
};
