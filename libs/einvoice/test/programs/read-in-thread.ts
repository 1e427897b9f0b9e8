import { parentPort } from 'node:worker_threads';
import { readEInvoice } from '@app/einvoice';

/** Reads the documents that it is sent, in a thread whose memory whoever started it has bounded. */
parentPort?.once('message', (bytes: Uint8Array) => {
  try {
    parentPort?.postMessage(readEInvoice(Buffer.from(bytes)).number);
  } catch (error) {
    parentPort?.postMessage((error as Error).message);
  }
});
