import { parentPort } from 'node:worker_threads';
import { readEInvoice } from '@app/einvoice';

/** Reads documents in a thread whose memory is limited by its starter. */
parentPort?.once('message', (bytes: Uint8Array) => {
  try {
    parentPort?.postMessage(readEInvoice(Buffer.from(bytes)).number);
  } catch (error) {
    parentPort?.postMessage((error as Error).message);
  }
});
