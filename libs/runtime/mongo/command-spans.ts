import type { mongo } from 'mongoose';
import { failSpan, type Span, startChildSpan } from '../tracing/index.ts';

/**
 * Makes a span for each MongoDB command that runs within a recorded span, by the semantic conventions for databases.
 * The span has no command text: that holds what people wrote.
 */
export function traceCommands(client: mongo.MongoClient): void {
  const spans = new Map<number, Span>();
  client.on('commandStarted', (started) => {
    const span = startChildSpan(describe(started));
    if (span) spans.set(started.requestId, span);
  });
  client.on('commandSucceeded', ({ requestId }) => {
    spans.get(requestId)?.end();
    spans.delete(requestId);
  });
  client.on('commandFailed', ({ requestId, failure }) => {
    const span = spans.get(requestId);
    if (!span) return;
    failSpan(span, String((failure as { code?: unknown }).code ?? failure.name));
    span.end();
    spans.delete(requestId);
  });
}

function describe({ commandName, command, databaseName, address }: mongo.CommandStartedEvent) {
  const collection = commandName === 'getMore' ? command['collection'] : command[commandName];
  const isNamed = typeof collection === 'string';
  const portAt = address.lastIndexOf(':');
  return {
    name: isNamed ? `${commandName} ${collection}` : commandName,
    kind: 'client' as const,
    attributes: {
      'db.system.name': 'mongodb',
      'db.namespace': databaseName,
      'db.operation.name': commandName,
      ...(isNamed ? { 'db.collection.name': collection } : {}),
      'server.address': address.slice(0, portAt),
      'server.port': Number(address.slice(portAt + 1)),
    },
  };
}
