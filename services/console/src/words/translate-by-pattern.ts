/** What the API says where it has no codes, and other words for it. `$1` is the first group of the pattern. */
export type PatternTranslation = [RegExp, string];

/** Undefined: there are no words for it. */
export function translateByPattern(translations: readonly PatternTranslation[], said: string): string | undefined {
  const [pattern, text] = translations.find(([one]) => one.test(said)) ?? [];
  return pattern && text && said.replace(pattern, text);
}
