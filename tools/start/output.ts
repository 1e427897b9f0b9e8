import { styleText } from 'node:util';

/** Writes whole lines, each under the name of who says it. */
export type Output = {
  /** A line of a service or a part, as it wrote it. */
  line(who: string, text: string): void;
  /** A line of the launcher. */
  say(text: string): void;
  /** Something that a person should see: a service that ended, a start that failed. */
  alarm(text: string): void;
};

const colours = ['cyan', 'green', 'yellow', 'magenta', 'blue', 'gray'] as const;

/** @param names everyone who may speak: the longest sets the width of the column */
export function createOutput(names: string[], stream: NodeJS.WriteStream = process.stdout): Output {
  const width = Math.max(...names.map((name) => name.length), 'platform'.length);
  // A terminal that is gone must not stop us from stopping in order.
  stream.on('error', () => {});
  const paint = (style: Parameters<typeof styleText>[0], text: string) => styleText(style, text, { stream });
  const write = (who: string, text: string, style: Parameters<typeof styleText>[0]) =>
    stream.write(`${paint(style, `${who.padEnd(width)} │`)} ${text}\n`);
  return {
    line: (who, text) => write(who, text, colours[Math.max(0, names.indexOf(who)) % colours.length] ?? 'gray'),
    say: (text) => {
      for (const line of text.split('\n')) write('platform', line, 'bold');
    },
    alarm: (text) => {
      for (const line of text.split('\n')) write('platform', paint(['red', 'bold'], line), 'red');
    },
  };
}
