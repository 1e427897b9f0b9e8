import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { run } from './processes/run.ts';

/**
 * A port of 127.0.0.1 that nobody listens on now; none of those that systems give to outgoing connections, where another process may
 * have it a moment later.
 */
export function freePort(): Promise<number> {
  return freePortBase(1);
}

/** Whether one can listen on this port of this address. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((answer) => {
    const server = createServer();
    server.once('error', () => answer(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => answer(true)));
  });
}

/** Which process listens on a port, as far as this user may know: `pid 123 (node)`. */
export async function findListener(port: number): Promise<string | undefined> {
  if (process.platform === 'linux') return linuxListener(port);
  const { ok, output } = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], 5_000);
  const pid = /^p(\d+)/m.exec(output)?.[1];
  return ok && pid ? `pid ${pid} (${/^c(.+)/m.exec(output)?.[1] ?? 'unknown'})` : undefined;
}

function linuxListener(port: number): string | undefined {
  const inodes = listeningInodes(port);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (socketsOf(pid).some((inode) => inodes.has(inode))) {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
      return `pid ${pid} (${command.length > 60 ? `${command.slice(0, 60)}…` : command})`;
    }
  }
  return undefined;
}

function listeningInodes(port: number): Set<string> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const [, ...lines] = orElse('', () => readFileSync(table, 'utf8')).split('\n');
    for (const line of lines) {
      // local address, remote address, state (0A: listening) … inode
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === '0A' && inode && local?.endsWith(`:${hexPort}`)) inodes.add(inode);
    }
  }
  return inodes;
}

function socketsOf(pid: string): string[] {
  const links = orElse([], () => readdirSync(`/proc/${pid}/fd`)).map((fd) =>
    orElse('', () => readlinkSync(`/proc/${pid}/fd/${fd}`)),
  );
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

/** Another user's process, or a file that was closed meanwhile, cannot be read. */
function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}

/**
 * The first of `span` ports in a row that one can listen on now, below the range that systems give out by themselves.
 * @throws Error if 50 draws find none
 */
export async function freePortBase(span: number): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const base = 10_000 + Math.floor((Math.random() * 20_000) / span) * span;
    const free = await Promise.all(Array.from({ length: span }, (_, offset) => isPortFree(base + offset)));
    if (free.every(Boolean)) return base;
  }
  throw new Error(`no ${span} ports in a row are free on this machine`);
}
