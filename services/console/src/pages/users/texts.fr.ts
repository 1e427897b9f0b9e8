import type { en } from './texts.en.ts';

export const fr: typeof en = {
  singleSignOn: 'Authentification unique',
  search: 'Chercher un utilisateur',
  invite: 'Inviter un utilisateur',
  empty: 'Aucun utilisateur',
  permissionHints: {
    tickets: 'Lire et modifier les tickets, devis et documents d’achat',
    accounting: 'Rapprocher les factures, connecter les plateformes de facturation',
    api_webhooks: 'Jetons d’API et points d’accès des webhooks',
    admin: 'Tout, y compris les utilisateurs de l’entreprise',
  },
  places: 'Lieux',
  placesHint:
    'Aucun\u00a0: tous les lieux. Sinon seulement les tickets de ces lieux et de ceux qu’ils contiennent, et leurs factures.',
  status: 'État',
  active: 'Actif',
  invited: 'Invité',
  bounced: 'Actif\u202f; les e-mails reviennent',
  notDelivered: 'Invitation non remise',
  inviteAgain: 'Inviter à nouveau',
  inactive: 'Désactivé',
  beingErased: 'Effacement en cours',
  erased: 'Effacé',
  erasedPerson: 'Personne effacée',
  link: 'Lien de mot de passe',
  linkHint: 'Transmettez-le à l’utilisateur, qui choisit un mot de passe sous 7 jours. Il n’est affiché qu’une fois.',
  newLink: 'Nouveau lien de mot de passe',
  invitedNow: (name) => `${name} invité`,
  mailed: (name, email) => `${name} invité par un e-mail à ${email}`,
  changed: (name) => `${name} modifié`,
  deactivate: 'Désactiver',
  activate: 'Réactiver',
  deactivateTitle: (name) => `Désactiver ${name}\u202f?`,
  deactivateHint:
    'Ses sessions prennent fin partout sous 5 secondes, et ses jetons d’API sont révoqués définitivement.',
  takeOver: 'Conserver ses jetons d’API, à mon nom',
  deactivated: (name) => `${name} désactivé`,
  activated: (name) => `${name} réactivé`,
  erase: 'Effacer',
  eraseOf: (name) => `Effacer ${name}`,
  eraseTitle: (name) => `Effacer ${name} ?`,
  eraseForGood: 'Cette action est définitive.',
  eraseLost:
    'Ce qui est perdu : le nom, l’adresse e-mail et le téléphone, partout, y compris dans les tickets, les notes et les messages de webhooks conservés.',
  eraseAccess:
    'Sous 5 secondes, ses sessions et ses jetons d’API prennent fin. Pour conserver ses jetons, à votre nom, désactivez-la d’abord.',
  eraseKept:
    'Ce qui reste : tout ce qu’elle a fait et écrit, sous le nom « Erased user ». Le nom n’est pas cherché dans les textes et les fichiers ; l’audit garde les adresses réseau 400 jours.',
  eraseElsewhere:
    'L’authentification unique recrée une personne à sa prochaine connexion : retirez-la d’abord chez le fournisseur. Ce que les webhooks ont envoyé reste chez leurs destinataires.',
  eraseTyped: 'Pour confirmer, saisissez son adresse e-mail',
  erasureBegun: 'L’effacement de la personne est en cours. Il prend au moins dix minutes.',
};
