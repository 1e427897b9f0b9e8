import type { Worded } from '@app/kernel/words';

/** The fields that changes are about. */
export const fieldWords: Readonly<Record<string, Worded>> = {
  first_name: { en: 'first name', fr: 'prénom' },
  last_name: { en: 'last name', fr: 'nom de famille' },
  email: { en: 'email', fr: 'e-mail' },
  phone: { en: 'phone', fr: 'téléphone' },
  permissions: { en: 'permissions', fr: 'permissions' },
  place_ids: { en: 'places', fr: 'lieux' },
  active: { en: 'active', fr: 'actif' },
  name: { en: 'name', fr: 'nom' },
  siret: { en: 'SIRET', fr: 'SIRET' },
  url: { en: 'URL', fr: 'URL' },
  events: { en: 'events', fr: 'événements' },
  headers: { en: 'extra headers', fr: 'en-têtes supplémentaires' },
  provider: { en: 'provider', fr: 'plateforme de facturation' },
  apiKey: { en: 'API key', fr: 'clé d’API' },
  oauthClientId: { en: 'client id', fr: 'identifiant du client' },
  oauthClientSecret: { en: 'client secret', fr: 'secret du client' },
  oauthTokenUrl: { en: 'address for access tokens', fr: 'adresse des jetons d’accès' },
  organizationId: { en: 'organisation', fr: 'organisation' },
  webhookSecret: { en: 'webhook secret', fr: 'secret des webhooks' },
  policies: { en: 'deadlines', fr: 'délais' },
  hours: { en: 'working hours', fr: 'horaires' },
  user_id: { en: 'user', fr: 'utilisateur' },
  ticket_id: { en: 'ticket', fr: 'ticket' },
  view_id: { en: 'party of the ticket', fr: 'partie du ticket' },
};
