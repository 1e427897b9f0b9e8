import { randomBytes } from 'node:crypto';
import { eventually } from '@app/testing';
import type { Request } from 'express';
import { createStorage, receiveUpload, type Upload, type UploadOptions } from '../../index.ts';
import { type Backend, openGridFs } from '../backends/backends.ts';
import { express, serve, type Web } from '../web.ts';

export const limit = 20 * 1024 * 1024;
export const pdf = (bytes: number) => Buffer.concat([Buffer.from('%PDF-'), randomBytes(bytes - 5)]);
export const small = pdf(1000);

export type Part = [name: string, value: string | Buffer, fileName?: string];

/** A server that receives uploads: at `/`, `/optional`, `/small` (1 MiB at most), `/own-codes`, and `/broken`, where the storage fails. */
export class UploadServer {
  readonly backend: Backend;
  /** How each request that reached the handler ended. */
  readonly outcomes: Promise<Upload>[] = [];
  arrived: Request | undefined;
  #web: Web | undefined;
  #held = Promise.resolve();

  constructor(backend: Backend) {
    this.backend = backend;
  }

  get web(): Web {
    return this.#web as Web;
  }

  async start(): Promise<void> {
    const app = express();
    const handle = (path: string, options: UploadOptions, storage = this.backend.storage) =>
      app.post(path, async (req, res) => {
        this.arrived = req;
        await this.#held;
        const receiving = receiveUpload(req, res, storage, options);
        this.outcomes.push(receiving);
        const { fields, file } = await receiving;
        res.json({ fields, file });
      });
    handle('/', {});
    handle('/optional', { required: false });
    handle('/small', { maxBytes: 1024 * 1024 });
    handle('/own-codes', { field: 'doc', maxBytes: 1000, codes: { tooLarge: 'a', type: 'b', required: 'c' } });
    handle('/broken', {}, createStorage({ url: 'file:///dev/null/folder' }));
    this.#web = await serve(app);
  }

  /** Holds requests before they are received. @returns lets them go on */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    this.arrived = undefined;
    return resolve;
  }

  async send(parts: Part[], path = '/'): Promise<{ status: number; body: Record<string, unknown> }> {
    const form = new FormData();
    for (const [name, value, fileName] of parts) {
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, new Blob([new Uint8Array(value)]), fileName ?? 'order.pdf');
    }
    const response = await fetch(this.web.url + path, { method: 'POST', body: form });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async storedFiles(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.backend.storage.list({ olderThan: new Date(Date.now() + 60_000) })) keys.push(key);
    return keys;
  }

  async expectNothingLeft(): Promise<void> {
    await eventually(async () => expect([await this.storedFiles(), await this.backend.traces()]).toEqual([[], 0]));
  }
}

/** Starts the server for all tests of a file, and passes it to `begin`. */
export function useUploadServer(begin: (server: UploadServer) => unknown): void {
  let server: UploadServer;
  beforeAll(async () => {
    server = new UploadServer(await openGridFs());
    await server.start();
    await begin(server);
  });
  beforeEach(() => {
    server.outcomes.length = 0;
  });
  afterEach(async () => {
    for (const key of await server.storedFiles()) await server.backend.storage.remove(key);
  });
  afterAll(async () => {
    await server.web.stop();
    await server.backend.close();
  });
}

/** A form up to the middle of its file. */
export function formStart(boundary: string, bytes: Buffer): Buffer<ArrayBuffer> {
  const header = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="order.pdf"\r\n\r\n`;
  return Buffer.concat([Buffer.from(header), bytes]);
}
