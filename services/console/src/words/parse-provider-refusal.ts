/** What a provider answered when it refused. The API keeps that in a sentence of its own. Null: it keeps another sentence. */
export function parseProviderRefusal(said: string): { status: string; words: string } | null {
  const [, status, words] = /^the provider refused \((\d+)\): (.+)$/s.exec(said) ?? [];
  return status && words ? { status, words } : null;
}
