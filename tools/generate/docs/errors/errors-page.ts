import type { HostName } from '../../../../services/gateway/routing/routes.ts';
import { heading } from '../markdown.ts';
import { type DeclaredError, declaredErrors } from './declared-errors.ts';
import { errorMessages } from './error-messages.ts';
import { busyNote, errorNotes, gatewayErrors } from './error-notes.ts';

type Documents = Record<HostName, Record<string, unknown>>;

/**
 * The page with an entry for each error code: status and meaning. @throws Error
 * naming codes that have neither a message nor a note
 */
export function errorsPage(root: string, documents: Documents): string {
  const messages = errorMessages(root);
  const errors = allErrors(documents);
  const unexplained = errors.filter(({ code }) => explain(code, messages) === undefined).map(({ code }) => code);
  if (unexplained.length > 0) throw new Error(`tools/generate/docs/errors/error-notes.ts lacks ${unexplained}`);
  const entries = errors.map((error) => entry(error, explain(error.code, messages) ?? ''));
  return [heading('Error codes', 'the routes, what they throw, and tools/generate/docs/errors'), intro, ...entries]
    .join('\n\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .concat('\n');
}

const intro = `Every error is \`{ "error": "a sentence", "code": "a_stable_code", "doc_url": "its entry here" }\`, some with more fields. Programs decide by \`code\`; the
sentence is for people and may change. A body or query with faults is 422 without a code ([errors](api.md#errors)). \`/docs\` has the
codes of each operation.`;

function allErrors(documents: Documents): DeclaredError[] {
  const declared = declaredErrors(documents);
  const own = Object.entries(gatewayErrors).map(([code, status]) => ({ code, statuses: new Map([[status, []]]) }));
  return [...declared, ...own].sort((a, b) => (a.code < b.code ? -1 : 1));
}

function explain(code: string, messages: Map<string, string[]>): string | undefined {
  const said = messages.get(code)?.map(sentence).join(' ');
  return errorNotes[code] ?? (code.endsWith('_busy') ? busyNote : said);
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

function entry({ code, statuses }: DeclaredError, explanation: string): string {
  return `## ${code}\n\n**${[...statuses.keys()].join(', ')}** ${explanation}`;
}
