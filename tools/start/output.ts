import { styleText } from 'node:util';

/** Writes lines to the terminal, each with the name of its process. */
export type Output = {
  /** A line of a service, MongoDB or RabbitMQ. */
  line(who: string, text: string): void;
  /** A line of the launcher. */
  log(text: string): void;
  /** A failure: a service that ended, a start that failed. */
  error(text: string): void;
};

const colours = ['cyan', 'green', 'yellow', 'magenta', 'blue', 'gray'] as const;

/** @param names the processes that write; the longest sets the width of the column */
export function createOutput(names: string[], stream: NodeJS.WriteStream = process.stdout): Output {
  const width = Math.max(...names.map((name) => name.length), 'platform'.length);
  // A closed terminal must not prevent an orderly stop.
  stream.on('error', () => {});
  const paint = (style: Parameters<typeof styleText>[0], text: string) => styleText(style, text, { stream });
  const write = (who: string, text: string, style: Parameters<typeof styleText>[0]) =>
    stream.write(`${paint(style, `${who.padEnd(width)} │`)} ${text}\n`);
  return {
    line: (who, text) => write(who, text, colours[Math.max(0, names.indexOf(who)) % colours.length] ?? 'gray'),
    log: (text) => {
      for (const line of text.split('\n')) write('platform', line, 'bold');
    },
    error: (text) => {
      for (const line of text.split('\n')) write('platform', paint(['red', 'bold'], line), 'red');
    },
  };
}
