import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeNow } from './close-now.ts';

/** A span as the collector got it. Times in ms since 1970. */
export type ReceivedSpan = {
  service: string;
  name: string;
  kind: string;
  traceId: string;
  spanId: string;
  /** Empty: it begins its trace. */
  parentSpanId: string;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  failed: boolean;
  startedAt: number;
  endedAt: number;
};

/** An OpenTelemetry collector (OTLP over HTTP, JSON) that keeps what it gets, and shows it at `GET /spans`. */
export type TraceCollector = Awaited<ReturnType<typeof startTraceCollector>>;

export async function startTraceCollector() {
  const received: ReceivedSpan[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  let status = 200;
  const server = createServer(async (req, res) => {
    res.setHeader('content-type', 'application/json');
    if (req.method === 'GET' && req.url === '/spans') return void res.end(JSON.stringify(received));
    const body = await bodyOf(req);
    headers.push(req.headers);
    if (req.url !== '/v1/traces' || status !== 200) return void res.writeHead(status === 200 ? 404 : status).end('{}');
    received.push(...spansIn(JSON.parse(body)));
    res.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: (): ReceivedSpan[] => [...received],
    /** The headers of every export. */
    headers: (): NodeJS.Dict<string | string[]>[] => [...headers],
    /** What exports are answered from now on, 200 by default. */
    answerWith(next: number): void {
      status = next;
    },
    close: (): Promise<void> => closeNow(server),
  };
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

type Attribute = { key: string; value: Record<string, unknown> };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
};
type Export = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[];
};

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const failedCode = 2;

function spansIn({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ service, ...read(span) })));
  });
}

function read({ startTimeUnixNano, endTimeUnixNano, attributes, links, status, ...span }: Span) {
  const { traceId, spanId, parentSpanId = '', name, kind } = span;
  return {
    name,
    kind: kinds[kind] as string,
    traceId,
    spanId,
    parentSpanId,
    attributes: valuesOf(attributes),
    links: (links ?? []).map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    failed: status?.code === failedCode,
    startedAt: Number(startTimeUnixNano) / 1e6,
    endedAt: Number(endTimeUnixNano) / 1e6,
  };
}

function valuesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
