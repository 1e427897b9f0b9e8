import type { en } from './texts.en.ts';

export const fr: typeof en = {
  title: 'Votre compte',
  profile: 'Profil',
  companyId: 'Identifiant d’entreprise',
  firstName: 'Prénom',
  lastName: 'Nom',
  phone: 'Téléphone',
  profileSaved: 'Profil enregistré',
  display: 'Affichage',
  displayHint:
    'La langue et le fuseau horaire vous suivent\u202f; le thème et les raccourcis restent dans ce navigateur.',
  timeZone: 'Fuseau horaire',
  password: 'Mot de passe',
  current: 'Mot de passe actuel',
  next: 'Nouveau mot de passe',
  passwordHint:
    '12 caractères au moins. Vos autres sessions prennent fin ; vos jetons d’API restent valables, sauf si vous y mettez fin ici.',
  tokens: 'Vos jetons d’API',
  endTokens: (count) =>
    count < 2 ? 'Mettre fin aussi à votre jeton d’API' : `Mettre fin aussi à vos ${count} jetons d’API`,
  change: 'Changer le mot de passe',
  passwordChanged: 'Mot de passe changé',
  feed: 'Votre agenda dans un logiciel de calendrier',
  feedHint:
    'Thunderbird, Google Agenda ou Apple Calendrier affichent vos visites et interventions à une adresse secrète. Quiconque la connaît voit ce que vous voyez\u00a0: remplacez-la si elle est tombée en d’autres mains.',
  feedSince: 'Une adresse existe depuis',
  feedMake: 'Créer une adresse',
  feedRenew: 'Remplacer l’adresse',
  feedEnd: 'Supprimer l’adresse',
  feedAddress: 'Adresse de votre agenda',
  feedOnce:
    'Abonnez-vous-y dans votre logiciel de calendrier. Elle n’est affichée que cette fois\u202f; l’adresse précédente ne fonctionne plus.',
  sessions: 'Sessions',
  sessionsHint:
    'Où vous êtes connecté. Une session prend fin après 12 heures, ou 2 heures sans utilisation. Mettez fin à ce que vous ne reconnaissez pas, et changez votre mot de passe.',
  browser: 'Navigateur',
  address: 'Adresse',
  since: 'Depuis',
  until: 'Jusqu’à',
  here: 'Celle-ci',
  unknown: 'Inconnu',
  end: 'Mettre fin',
  endNamed: (name) => `Mettre fin à la session de ${name}`,
  everywhere: 'Se déconnecter partout',
  everywhereTitle: 'Se déconnecter partout ?',
  everywhereHint: 'Toutes vos sessions prennent fin, celle-ci aussi. Vos jetons d’API restent valables.',
  ended: 'Session terminée',
  company: 'Entreprise',
  permissions: 'Vos permissions',
  nothing: 'Aucune pour le moment\u00a0: demandez à un administrateur de votre entreprise.',
};
