import type { Worded } from './worded.ts';

/** What the audit log calls what was done. */
export const auditActionWords = {
  'login.accepted': { en: 'Signed in', fr: 'Connexion' },
  'login.refused': { en: 'Sign-in refused', fr: 'Connexion refusée' },
  'login.locked': { en: 'Sign-in locked', fr: 'Connexion bloquée' },
  'session.ended': { en: 'Session ended', fr: 'Session terminée' },
  'password.changed': { en: 'Password changed', fr: 'Mot de passe changé' },
  'password.refused': { en: 'Wrong password given', fr: 'Mauvais mot de passe donné' },
  'password.set': { en: 'Password set by a link', fr: 'Mot de passe défini par un lien' },
  'password_link.created': { en: 'Password link created', fr: 'Lien de mot de passe créé' },
  'user.created': { en: 'User created', fr: 'Utilisateur créé' },
  'user.changed': { en: 'User changed', fr: 'Utilisateur modifié' },
  'user.deactivated': { en: 'User deactivated', fr: 'Utilisateur désactivé' },
  'user.reactivated': { en: 'User reactivated', fr: 'Utilisateur réactivé' },
  'user.erased': { en: 'Person erased', fr: 'Personne effacée' },
  'api_token.created': { en: 'API token created', fr: 'Jeton d’API créé' },
  'api_token.revoked': { en: 'API token revoked', fr: 'Jeton d’API révoqué' },
  'api_token.taken_over': { en: 'API token taken over', fr: 'Jeton d’API repris' },
  'agenda_feed.created': { en: 'Calendar address made', fr: 'Adresse d’agenda créée' },
  'agenda_feed.revoked': { en: 'Calendar address ended', fr: 'Adresse d’agenda supprimée' },
  'webhook_endpoint.created': { en: 'Endpoint created', fr: 'Point d’accès créé' },
  'webhook_endpoint.changed': { en: 'Endpoint changed', fr: 'Point d’accès modifié' },
  'webhook_endpoint.deleted': { en: 'Endpoint deleted', fr: 'Point d’accès supprimé' },
  'invoice_connection.created': { en: 'Connection created', fr: 'Connexion de factures créée' },
  'invoice_connection.changed': { en: 'Connection changed', fr: 'Connexion de factures modifiée' },
  'invoice_connection.deleted': { en: 'Connection deleted', fr: 'Connexion de factures supprimée' },
  'invoice.linked': { en: 'Invoice linked', fr: 'Facture liée' },
  'invoice.unlinked': { en: 'Invoice unlinked', fr: 'Facture dissociée' },
  'clock_settings.changed': { en: 'Deadlines changed', fr: 'Délais modifiés' },
  'invoice.status_told': { en: 'Supplier told of an invoice', fr: 'Fournisseur informé d’une facture' },
  'invoice.concluded': {
    en: 'Invoice without a ticket, duplicate or refused',
    fr: 'Facture sans ticket, doublon ou refusée',
  },
  'invoice.reopened': { en: 'Invoice reopened', fr: 'Facture rouverte' },
  'export.requested': { en: 'Export requested', fr: 'Export demandé' },
  'export.downloaded': { en: 'Export downloaded', fr: 'Export téléchargé' },
  'single_sign_on.set': { en: 'Single sign-on set up', fr: 'Authentification unique configurée' },
  'single_sign_on.ended': { en: 'Single sign-on ended', fr: 'Authentification unique terminée' },
  'company.created': { en: 'Company created', fr: 'Entreprise créée' },
  'company.changed': { en: 'Company changed', fr: 'Entreprise modifiée' },
  'company.closed': { en: 'Company closed', fr: 'Entreprise fermée' },
  'company.reopened': { en: 'Company reopened', fr: 'Entreprise rouverte' },
} satisfies Record<string, Worded>;

/** Why something was refused, in the audit log. */
export const auditReasonWords = {
  wrong_password: { en: 'wrong password', fr: 'mauvais mot de passe' },
  user_inactive: { en: 'deactivated user', fr: 'utilisateur désactivé' },
  company_closed: { en: 'closed company', fr: 'entreprise fermée' },
  password_login_off: { en: 'passwords are switched off', fr: 'mots de passe désactivés' },
  email_missing: { en: 'the provider names no email address', fr: 'le fournisseur ne donne pas d’adresse e-mail' },
  email_not_verified: {
    en: 'email address not verified by the provider',
    fr: 'adresse e-mail non vérifiée par le fournisseur',
  },
  domain_not_allowed: {
    en: 'email address of a domain that is not allowed',
    fr: 'adresse e-mail d’un domaine non autorisé',
  },
  of_another_company: {
    en: 'email address of another company’s user',
    fr: 'adresse e-mail d’un utilisateur d’une autre entreprise',
  },
  user_limit: { en: 'the company has as many users as it may have', fr: 'nombre maximal d’utilisateurs atteint' },
  changed_meanwhile: {
    en: 'user or single sign-on changed meanwhile',
    fr: 'utilisateur ou authentification unique modifiés entre-temps',
  },
  failed: { en: 'not confirmed by the provider', fr: 'non confirmé par le fournisseur' },
} satisfies Record<string, Worded>;

/** What actors are of, and what was acted upon. */
export const auditKindWords = {
  user: { en: 'User', fr: 'Utilisateur' },
  platform: { en: 'Platform administration', fr: 'Administration de la plateforme' },
  unknown: { en: 'Unknown', fr: 'Inconnu' },
  company: { en: 'Company', fr: 'Entreprise' },
  session: { en: 'Session', fr: 'Session' },
  api_token: { en: 'API token', fr: 'Jeton d’API' },
  webhook_endpoint: { en: 'Webhook endpoint', fr: 'Point d’accès webhook' },
  invoice_connection: { en: 'Invoice connection', fr: 'Connexion de factures' },
  invoice: { en: 'Invoice', fr: 'Facture' },
  export: { en: 'Export', fr: 'Export' },
} satisfies Record<string, Worded>;

/** What users may do. */
export const permissionWords = {
  tickets: { en: 'Tickets', fr: 'Tickets' },
  accounting: { en: 'Accounting', fr: 'Comptabilité' },
  api_webhooks: { en: 'API and webhooks', fr: 'API et webhooks' },
  admin: { en: 'Administrator', fr: 'Administrateur' },
} satisfies Record<string, Worded>;

/** A flag. */
export const yesOrNo = { true: { en: 'yes', fr: 'oui' }, false: { en: 'no', fr: 'non' } };
