import examples from './recorded/examples.json' with { type: 'json' };

const recorded: Record<string, unknown> = examples;

type Operation = { method: string; path: string };

/** The name of a request among the examples: `POST /api/v3.0/tickets request`. */
export function requestName({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${path.replaceAll(/:([^/]+)/g, '{$1}')} request`;
}

/** The name of a response among the examples: `GET /api/v3.0/tickets/{ticket_id} 200`. */
export function responseName({ method, path, status }: Operation & { status: number | string }): string {
  return `${method.toUpperCase()} ${path.replaceAll(/:([^/]+)/g, '{$1}')} ${status}`;
}

/** What the end-to-end tests recorded of it (docs/contributing/add-a-route.md); undefined if they never sent or got it. */
export function recordedExample(name: string): unknown {
  return recorded[name];
}
