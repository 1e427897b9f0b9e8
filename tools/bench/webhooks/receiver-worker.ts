import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { workerData } from 'node:worker_threads';
import type { Arrivals, ReceiverCommand } from './receiver.ts';
import { answerCommands } from './worker.ts';

/** Requests to paths that begin so are answered after `hangsMs`, others at once. */
const hangs = '/hang';
const hangsMs = 10_000;
const numberInBody = /"number":"T-(\d+)"/;

let arrivals: Arrivals = { numbers: [], at: [] };
let hanging = 0;
let awaited = { least: Number.POSITIVE_INFINITY, reached: () => {} };

const server = createServer(workerData as { key: string; cert: string }, (req, res) => {
  const path = req.url ?? '/';
  let body = '';
  req.setEncoding('latin1');
  req.on('data', (chunk: string) => {
    body += chunk;
  });
  req.on('end', () => {
    if (path.startsWith(hangs)) {
      hanging += 1;
      setTimeout(() => {
        hanging -= 1;
        res.end();
      }, hangsMs);
      return;
    }
    arrivals.numbers.push(Number(numberInBody.exec(body)?.[1] ?? -1));
    arrivals.at.push(performance.timeOrigin + performance.now());
    res.end();
    if (arrivals.at.length >= awaited.least) awaited.reached();
  });
});
const listening = once(server.listen(0, '127.0.0.1', 1_024), 'listening');

answerCommands(async (command: ReceiverCommand) => {
  if (command.ask === 'port') {
    await listening;
    return (server.address() as AddressInfo).port;
  }
  if (command.ask === 'hanging') return hanging;
  const { least } = command;
  if (arrivals.at.length < least)
    await new Promise<void>((reached) => {
      awaited = { least, reached };
    });
  const taken = arrivals;
  arrivals = { numbers: [], at: [] };
  return taken;
});
