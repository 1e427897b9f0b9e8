import type { en } from './texts.en.ts';

export const fr: typeof en = {
  intro: 'Un programme se connecte avec un jeton\u00a0: il peut faire ce que peut son utilisateur, ou moins.',
  create: 'Créer un jeton',
  empty: 'Aucun jeton',
  emptyHint: 'Créez-en un par programme, pour pouvoir le révoquer seul.',
  nameHint: 'Le programme qui l’utilise',
  scopes: 'Permissions',
  scopesHint: 'Aucune cochée\u00a0: tout ce que vous pouvez faire.',
  unlimitedTitle: (name) => `Permettre à «\u00a0${name}\u00a0» tout ce que vous pouvez faire\u202f?`,
  unlimitedText:
    'Rien n’est coché\u00a0: qui a le jeton peut lire et modifier tout ce que vous pouvez, maintenant et quand vos permissions changeront.',
  createUnlimited: 'Créer sans limite',
  everything: 'Tout ce que peut son utilisateur',
  scopeNames: {
    'tickets:read': 'Lire les tickets',
    'tickets:write': 'Créer et modifier des tickets',
    'purchases:write': 'Écrire des documents d’achat',
  },
  begins: 'Commence par',
  lastUsed: 'Dernière utilisation',
  expires: 'Expiration',
  expiresHint: 'Vide\u00a0: jamais',
  expired: 'Expiré',
  token: 'Nouveau jeton',
  tokenHint: 'Transmettez-le maintenant au programme\u00a0: il n’est affiché qu’une fois.',
  tokenCreated: (name) => `Jeton «\u00a0${name}\u00a0» créé`,
  revoke: 'Révoquer',
  revokeNamed: (name) => `Révoquer ${name}`,
  revokeTitle: (name) => `Révoquer «\u00a0${name}\u00a0»\u202f?`,
  revokeHint: 'Tout ce qui l’utilise est refusé sous 5 secondes. Cette action est définitive.',
  revoked: (name) => `Jeton «\u00a0${name}\u00a0» révoqué`,
};
