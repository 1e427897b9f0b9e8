import { parseProviderRefusal } from '../src/words/parse-provider-refusal.ts';
import { providerErrorInFrench } from '../src/words/provider-error-texts.fr.ts';

test.each([
  ['the provider refused (422): Invoice is locked', { status: '422', words: 'Invoice is locked' }],
  ['the provider refused (409): refusé : période close', { status: '409', words: 'refusé : période close' }],
  ['the platform refused the message: CMD_ERR: closed', { status: null, words: 'CMD_ERR: closed' }],
  ['the provider refused (422)', null],
  ['the provider answered 503', null],
])('what a provider said itself is known from what the API says of it: %s', (said, answer) => {
  expect(parseProviderRefusal(said)).toEqual(answer);
});

test.each([
  ['the provider refused (422)', 'La plateforme de facturation a refusé (422)'],
  ['the provider answered 503', 'La plateforme de facturation a répondu 503'],
  ['the provider did not answer in time', 'La plateforme de facturation n’a pas répondu à temps'],
  ['this provider takes no such feedback', 'Cette plateforme de facturation n’accepte pas ce retour'],
  ['the provider has other words for it', undefined],
])('what the API says of a call to a provider is said in French, if it is known: %s', (said, french) => {
  expect(providerErrorInFrench(said)).toBe(french);
});
