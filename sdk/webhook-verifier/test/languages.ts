import { spawnSync } from 'node:child_process';

/**
 * A language of docs/webhooks.md: what says that its runtime is on this machine, and how its snippet is run. The receiver is built by
 * `build` and then started.
 */
export type Language = {
  name: string;
  asks: string[];
  snippet: string;
  driver: string;
  run: string[][];
  receiver: { file: string; build?: string[]; start: (port: number) => string[] };
};

const languages: Language[] = [
  {
    name: 'Node',
    asks: [process.execPath, '--version'],
    snippet: 'webhooks.mjs',
    driver: 'driver.mjs',
    run: [[process.execPath, 'driver.mjs']],
    receiver: { file: 'receiver.mjs', start: () => [process.execPath, 'receiver.mjs'] },
  },
  {
    name: 'Python',
    asks: ['python3', '--version'],
    snippet: 'webhooks.py',
    driver: 'driver.py',
    run: [['python3', 'driver.py']],
    receiver: { file: 'receiver.py', start: () => ['python3', 'receiver.py'] },
  },
  {
    name: 'PHP',
    asks: ['php', '--version'],
    snippet: 'webhooks.php',
    driver: 'driver.php',
    run: [['php', 'driver.php']],
    receiver: { file: 'receiver.php', start: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'] },
  },
  {
    name: 'Go',
    asks: ['go', 'version'],
    snippet: 'webhooks.go',
    driver: 'driver.go',
    run: [['go', 'run', 'driver.go', 'webhooks.go']],
    receiver: { file: 'receiver.go', build: ['go', 'build', '-o', 'receiver', '.'], start: () => ['./receiver'] },
  },
  {
    name: 'Java',
    asks: ['javac', '--version'],
    snippet: 'Webhooks.java',
    driver: 'Driver.java',
    run: [
      ['javac', 'Webhooks.java', 'Driver.java'],
      ['java', 'Driver'],
    ],
    receiver: {
      file: 'Receiver.java',
      build: ['javac', 'Webhooks.java', 'Receiver.java'],
      start: () => ['java', 'Receiver'],
    },
  },
];

/** The languages whose runtime is on this machine. Says which are missing, so that nobody takes them for tested. */
export function languagesHere(what: string): Language[] {
  const here = languages.filter(({ asks: [program = '', ...args] }) => spawnSync(program, args).status === 0);
  const missing = languages.filter((language) => !here.includes(language)).map(({ name }) => name);
  if (missing.length > 0) process.stderr.write(`${what} not run, since this machine lacks: ${missing.join(', ')}\n`);
  return here;
}
