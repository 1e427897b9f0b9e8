/**
 * What a provider answered when it refused, or why it did not accept a message: then there is no status. The API keeps that in a sentence
 * of its own. Null: it keeps another sentence.
 */
export function parseProviderRefusal(said: string): { status: string | null; words: string } | null {
  const refusal = /^the (?:provider refused \((\d+)\)|platform refused the message): (.+)$/s;
  const [, status = null, words] = refusal.exec(said) ?? [];
  return words ? { status, words } : null;
}
