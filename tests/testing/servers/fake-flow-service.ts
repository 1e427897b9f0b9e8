import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeNow } from './close-now.ts';

/**
 * The part of an approved platform (provider `afnor`) that invoices come from. It serves any
 * document that a test puts there by `PUT /flows/<id>`. It lists nothing, so polls find nothing; it
 * accepts life-cycle messages.
 */
export type FakeFlowService = { url: string; close(): Promise<void> };

export async function startFakeFlowService(): Promise<FakeFlowService> {
  const documents = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://flows.test');
    const body = await bodyOf(request);
    const id = decodeURIComponent(/^\/v1\/flows\/([^/]+)$/.exec(pathname)?.[1] ?? '');
    const answer = (status: number, content: object | Buffer) =>
      response.writeHead(status).end(Buffer.isBuffer(content) ? content : JSON.stringify(content));
    if (request.method === 'PUT') {
      documents.set(id, body);
      return answer(201, {});
    }
    if (request.method === 'POST') return id === 'search' ? answer(200, { results: [] }) : answer(202, {});
    const document = documents.get(id);
    if (!document) return answer(404, { code: 'not_found' });
    return answer(200, searchParams.get('docType') === 'Original' ? document : flowOf(id, document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => closeNow(server),
  };
}

/** The flow of a supplier's invoice as the platform describes it. */
export function flowOf(flowId: string, document: Buffer): object {
  const flowSyntax = document.subarray(0, 5).toString() === '%PDF-' ? 'Factur-X' : 'UBL';
  const incoming = { flowType: 'SupplierInvoice', flowDirection: 'In', processingRule: 'B2B' };
  return { flowId, flowSyntax, ...incoming, updatedAt: '2026-11-16T08:00:00Z', acknowledgement: { status: 'Ok' } };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
