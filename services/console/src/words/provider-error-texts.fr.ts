import { type PatternTranslation, translateByPattern } from './translate-by-pattern.ts';

/** French for what the API says of a call to a provider. It has no codes there. */
const reasons: PatternTranslation[] = [
  [/^the provider refused \((\d+)\)$/, 'La plateforme de facturation a refusé ($1)'],
  [/^the provider answered (\d+)$/, 'La plateforme de facturation a répondu $1'],
  [/^the provider did not answer in time$/, 'La plateforme de facturation n’a pas répondu à temps'],
  [/^the connection to the provider failed$/, 'La connexion à la plateforme de facturation a échoué'],
  [/^the provider (?:does not have this|can have nothing with this id)$/, 'La plateforme de facturation ne l’a pas'],
  [/^the provider refuses the credentials \((\d+)\)$/, 'La plateforme de facturation refuse les identifiants ($1)'],
  [/^no access token for the OAuth2 client: /, 'Le client OAuth2 n’obtient pas de jeton d’accès'],
  [/^the life-cycle message can't be read: /, 'Le message de cycle de vie est illisible'],
  [/^the provider answered with something that is no \w+$/, 'La réponse de la plateforme de facturation est illisible'],
  [/^the provider's answer is longer than \d+ bytes$/, 'La réponse de la plateforme de facturation est trop longue'],
  [/^(?:our own failure|something of ours does not answer)$/, 'La panne est de notre côté'],
  [/^a later outcome took its place$/, 'Un retour plus récent l’a remplacé'],
  [/^this provider takes no such feedback$/, 'Cette plateforme de facturation n’accepte pas ce retour'],
];

/** Undefined: there are no words for it. */
export function providerErrorInFrench(said: string): string | undefined {
  return translateByPattern(reasons, said);
}
