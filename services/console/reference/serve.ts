import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a GET or HEAD. `path` is without traversal, as the gateway lets it through. */
export type Serve = (req: IncomingMessage, res: ServerResponse, asked: { path: string; notFound: () => void }) => void;
