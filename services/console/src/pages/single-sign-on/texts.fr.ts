import type { en } from './texts.en.ts';

export const fr: typeof en = {
  title: 'Authentification unique',
  intro:
    'Vos utilisateurs se connectent avec le compte qu’ils ont dans votre entreprise, auprès de votre fournisseur OpenID Connect.',
  state: 'État',
  on: 'Active',
  off: 'Non configurée',
  offHint: 'Les utilisateurs se connectent avec le mot de passe qu’ils ont choisi ici.',
  changed: 'Modifiée',
  passwords: 'Mots de passe',
  passwordsCount: 'Également acceptés',
  passwordsOff: 'Acceptés pour les seuls administrateurs',
  atProvider: 'Chez le fournisseur',
  atProviderHint:
    'Enregistrez-y cette plateforme comme application web, avec les scopes openid, email et profile. Le fournisseur doit indiquer que l’adresse e-mail est vérifiée (email_verified).',
  callback: 'Adresse de redirection',
  settings: 'Réglages',
  issuer: 'Émetteur (issuer)',
  issuerHint:
    'L’adresse du fournisseur, telle que l’indique son document de découverte. Ce document lui est demandé à l’enregistrement.',
  clientId: 'Identifiant client',
  clientSecret: 'Secret client',
  secretStored:
    'Il est enregistré et jamais affiché. Vide : il est conservé. Un autre émetteur ou client demande le sien.',
  secretHint: 'Il est enregistré chiffré et ne sera plus jamais affiché.',
  domains: 'Domaines d’e-mail',
  domainsHint: 'Un par ligne. Seules les adresses de ces domaines se connectent, pour chaque domaine une fois prouvé.',
  domainProofs: 'Preuve des domaines',
  domainProofsHint:
    'Un domaine compte une fois que son DNS contient cet enregistrement TXT, ou que l’opérateur de la plateforme l’a accordé. Publiez l’enregistrement puis enregistrez de nouveau les réglages : il est vérifié aussitôt, puis chaque jour où quelqu’un se connecte.',
  domainStates: { granted: 'Accordé par l’opérateur', proven: 'Prouvé', unproven: 'Non prouvé' },
  recordName: 'Nom de l’enregistrement TXT',
  recordValue: 'Sa valeur',
  permissions: 'Permissions des nouveaux utilisateurs',
  permissionsHint:
    'Toute personne qui se connecte pour la première fois devient un utilisateur avec celles-ci. Personne ne devient ainsi administrateur.',
  passwordLogin: 'Mots de passe',
  passwordLoginOn: 'Tout le monde peut aussi utiliser un mot de passe',
  passwordLoginOff: 'Seuls les administrateurs peuvent utiliser un mot de passe',
  passwordLoginOffHint:
    'Tous les autres se connectent uniquement chez le fournisseur : essayez d’abord. Les administrateurs gardent le leur pour pouvoir revenir.',
  set: 'Configurer',
  saved: 'Authentification unique enregistrée',
  try: 'Essayer la connexion',
  tryHint:
    'Dans un nouvel onglet, avec votre compte chez le fournisseur. Si c’est ici un autre utilisateur, vous en êtes averti et restez connecté comme vous l’êtes.',
  end: 'Mettre fin à l’authentification unique',
  endTitle: 'Mettre fin à l’authentification unique ?',
  endHint:
    'Les mots de passe sont de nouveau acceptés pour tous ; qui n’en a jamais eu demande un lien par « Mot de passe oublié ». Les sessions ouvertes durent jusqu’à leur fin. Le secret client est supprimé.',
  ended: 'L’authentification unique a pris fin',
};
