import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { Arrivals, ReceiverCommand } from './receiver.ts';

/** Requests to paths that begin so are answered after `hangsMs`, others at once. */
const hangs = '/hang';
const hangsMs = 10_000;
const numberInBody = /"number":"T-(\d+)"/;

let arrivals: Arrivals = { numbers: [], at: [] };
let hanging = 0;
let awaited: { id: number; least: number } | null = null;

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
    if (awaited && arrivals.at.length >= awaited.least) reached();
  });
});

function reached(): void {
  parentPort?.postMessage({ id: awaited?.id, answer: arrivals.at.length });
  awaited = null;
}

parentPort?.on('message', ({ id, command }: { id: number; command: ReceiverCommand }) => {
  const answer = (given: unknown) => parentPort?.postMessage({ id, answer: given });
  if (command.ask === 'await') {
    awaited = { id, least: command.least };
    if (arrivals.at.length >= command.least) reached();
  } else if (command.ask === 'hanging') answer(hanging);
  else {
    answer(arrivals);
    arrivals = { numbers: [], at: [] };
  }
});

server.listen(0, '127.0.0.1', 1_024, () => {
  parentPort?.postMessage({ id: 0, answer: (server.address() as AddressInfo).port });
});
