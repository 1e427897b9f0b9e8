import { openSync, writeSync } from 'node:fs';
import { stripVTControlCharacters, styleText } from 'node:util';

/** Writes lines to the terminal, each with the name of its process. */
export type Output = ReturnType<typeof createOutput>;

type OutputOptions = {
  stream?: NodeJS.WriteStream;
  /** Where all lines go as well if `stream` is a terminal; begun anew with the first line. */
  file?: string;
  /** A terminal shows every line too. */
  verbose?: boolean;
};

const colours = ['cyan', 'green', 'yellow', 'magenta', 'blue', 'gray'] as const;
/** What services write at level `info` (libs/runtime/logger.ts), in development and in production, and of it the line of each request. */
const information = /^\S+ info |"level":"info"/;
const request = /^\S+ info request |"message":"request"/;

/** Neither a warning nor what a person did: a request has led to that, and not a message. */
function isRoutine(text: string): boolean {
  const isOfPerson = text.includes('"requestId":') && !text.includes('"messageId":') && !request.test(text);
  return information.test(text) && !isOfPerson;
}

/** @param names the processes that write; the longest sets the width of the column */
export function createOutput(names: string[], options: OutputOptions = {}) {
  const { stream = process.stdout, file, verbose = false } = options;
  const isForPerson = stream.isTTY === true;
  const width = Math.max(...names.map((name) => name.length), 'platform'.length);
  // A closed terminal must not prevent an orderly stop.
  stream.on('error', () => {});
  const paint = (style: Parameters<typeof styleText>[0], text: string) => styleText(style, text, { stream });
  const copy = isForPerson && file ? copyTo(file) : undefined;
  const write = (who: string, text: string, style: Parameters<typeof styleText>[0]) => {
    const line = `${paint(style, `${who.padEnd(width)} │`)} ${text}\n`;
    copy?.(line);
    if (verbose || !isForPerson || !isRoutine(text)) stream.write(line);
  };
  return {
    /** A person reads along: routine is left out, and what they need stays in sight. */
    isForPerson,
    /** A line of a service, MongoDB or RabbitMQ. */
    line: (who: string, text: string): void =>
      write(who, text, colours[Math.max(0, names.indexOf(who)) % colours.length] ?? 'gray'),
    /** A line of the launcher. */
    log: (text: string): void => {
      for (const line of text.split('\n')) write('platform', line, 'bold');
    },
    /** A failure: a service that ended, a start that failed. */
    error: (text: string): void => {
      for (const line of text.split('\n')) write('platform', paint(['red', 'bold'], line), 'red');
    },
  };
}

/** Without it everything works: it is given up at the first failure, such as a full disk. */
function copyTo(file: string): (line: string) => void {
  let descriptor: number | null | undefined;
  return (line) => {
    if (descriptor === null) return;
    try {
      descriptor ??= openSync(file, 'w', 0o600);
      writeSync(descriptor, stripVTControlCharacters(line));
    } catch {
      descriptor = null;
    }
  };
}
