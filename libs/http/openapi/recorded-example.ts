import examples from './recorded/examples.json' with { type: 'json' };

const recorded: Record<string, unknown> = examples;

/** The name of a response among the examples: `GET /api/v3.0/tickets/{ticket_id} 200`. */
export function responseName({
  method,
  path,
  status,
}: {
  method: string;
  path: string;
  status: number | string;
}): string {
  return `${method.toUpperCase()} ${path.replaceAll(/:([^/]+)/g, '{$1}')} ${status}`;
}

/** What the end-to-end tests recorded of a response (docs/contributing/add-an-example.md); undefined if they never got it. */
export function recordedExample(name: string): unknown {
  return recorded[name];
}
