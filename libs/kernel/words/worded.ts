/** A text in the languages of people. */
export type Worded = { fr: string; en: string };

/** The texts of codes in one language. */
export function inLanguage<Code extends string>(
  words: Readonly<Record<Code, Worded>>,
  language: keyof Worded,
): Record<Code, string> {
  const texts = Object.entries<Worded>(words).map(([code, word]) => [code, word[language]]);
  return Object.fromEntries(texts) as Record<Code, string>;
}
