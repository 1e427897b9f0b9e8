/** In the first line of every e-mail that may be answered: what is below it in an answer is ours. */
export const separatorMarks = ['##-', '-##'] as const;

const quotePrefix = '>';
/** How many lines a mail program breaks the line into that says who wrote what is quoted, and the names of its header into. */
const maxAttributionLines = 4;
const attribution = {
  starts: /^(?:on|le) .*\d/i,
  // Thunderbird in French writes `a écrit :`, with a space of any kind.
  ends: /(?:wrote|a écrit|schrieb)\s?:$/i,
};
const originalMessage =
  /^-{2,} ?(?:original message|forwarded message|message d[’']origine|message transféré|message original|message initial) ?-{2,}$/i;
/** Outlook's line above what it quotes. */
const ruler = /^_{10,}$/;
const quotedHeader = /^\*?(from|de|sent|envoyé|date|to|à|cc|subject|objet|reply-to|répondre à)\s?:\*?/i;
const senderHeader = /^\*?(?:from|de)\s?:\*?/i;
const signature = /^--\s?$/;
const ofProgram =
  /^(?:sent (?:from|via|with) |envoyé (?:de|depuis|à partir de|avec|via) |get outlook for |obtenir outlook pour |télécharger outlook pour |provenance ?: |yahoo mail ?: |sent using )/i;
const maxProgramLine = 120;

/**
 * What a person wrote in an answer, without what is quoted and without signatures, as the usual mail programs write them in French
 * and English. Words below or between quoted lines are kept. Takes time in proportion to the text.
 */
export function replyText(text: string): string {
  const lines = text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .split('\n')
    .map((line) => line.trimEnd());
  const own = (of: string[]) => withoutSignature(of.filter((line) => !line.startsWith(quotePrefix)));
  const end = lines.findIndex((_, at) => beginsQuote(lines, at));
  if (end === -1) return own(lines);
  const below = lines.slice(end);
  // Only where every quoted line says that it is one can words among them be told apart.
  const first = below.findIndex((line) => line.startsWith(quotePrefix));
  const isMarked = first !== -1 && below.slice(0, first).filter(Boolean).length <= maxAttributionLines;
  const among = isMarked ? own(below.slice(first)) : '';
  return [own(lines.slice(0, end)), among].filter(Boolean).join('\n\n');
}

function beginsQuote(lines: string[], at: number): boolean {
  const line = (lines[at] as string).trimStart();
  if (line === '') return false;
  if (separatorMarks.every((mark) => line.includes(mark)) || originalMessage.test(line) || ruler.test(line))
    return true;
  if (attribution.starts.test(line)) return endsAttribution(lines, at);
  return senderHeader.test(line) && isQuotedHeader(lines, at);
}

/** A date, and at the end a colon: a sentence of the writer may begin alike. */
function endsAttribution(lines: string[], at: number): boolean {
  for (const line of lines.slice(at, at + maxAttributionLines)) {
    if (line === '') return false;
    if (attribution.ends.test(line.slice(-20))) return true;
  }
  return false;
}

/** At least three of `From`, `Sent`, `To` and `Subject`, one below the other. */
function isQuotedHeader(lines: string[], at: number): boolean {
  const next = lines
    .slice(at, at + 12)
    .filter(Boolean)
    .slice(0, 5);
  return next.filter((line) => quotedHeader.test(line.trimStart())).length >= 3;
}

function withoutSignature(lines: string[]): string {
  const at = lines.findIndex((line) => signature.test(line));
  const own = at === -1 ? lines : lines.slice(0, at);
  const last = own.findLastIndex(Boolean);
  const isProgram = last !== -1 && isOfProgram(own[last] as string);
  return own
    .slice(0, isProgram ? last : last + 1)
    .join('\n')
    .trim();
}

function isOfProgram(line: string): boolean {
  return line.length <= maxProgramLine && ofProgram.test(line.trimStart());
}
