import { type Edge, type Graph, isOwn, reach } from './graph.ts';
import { packageOf } from './modules.ts';

/** Packages and modules of Node that reach something outside the process. */
const databases = ['mongoose', 'mongodb'];
const callers = [
  'axios',
  'undici',
  'nodemailer',
  '@aws-sdk/client-s3',
  'node:http',
  'node:https',
  'node:net',
  'node:tls',
];
const others = [
  '@opentelemetry/exporter-trace-otlp-http',
  'amqplib',
  'express',
  'multer',
  'winston',
  'node:child_process',
  'node:cluster',
  'node:dns',
  'node:dns/promises',
  'node:fs',
  'node:fs/promises',
  'node:readline',
  'node:worker_threads',
];

/** Parts of such modules that compute and touch nothing outside. */
const pureParts: Record<string, readonly string[]> = {
  'node:net': ['BlockList', 'isIP', 'isIPv4', 'isIPv6'],
};

/** Whether a file does I/O: it names a package that does, or reaches a file that does. Types count: a file that takes a store works with it. */
export function doesIo(graph: Graph, file: string): boolean {
  const all = new Set([...databases, ...callers, ...others]);
  return touches(graph, file, { packages: all, follow: () => true });
}

/** Whether a file reads or writes the database: it names the driver (a type is enough), or builds on a file that does. */
export function touchesDatabase(graph: Graph, file: string): boolean {
  const isDriver = ({ target }: Edge) => databases.includes(packageOf(target));
  return graph.edges(file).some(isDriver) || touches(graph, file, { packages: new Set(databases), follow: isValue });
}

/** Whether a file calls another host. */
export function makesCalls(graph: Graph, file: string): boolean {
  return touches(graph, file, { packages: new Set(callers), follow: isValue });
}

type Touch = { packages: ReadonlySet<string>; follow: (edge: Edge) => boolean };

function touches(graph: Graph, file: string, { packages, follow }: Touch): boolean {
  const names = (edge: Edge) => follow(edge) && packages.has(packageOf(edge.target)) && !isPurePart(edge);
  return [file, ...reach(graph, file, follow)].some((one) => isOwn(one) && graph.edges(one).some(names));
}

function isValue({ typeOnly }: Edge): boolean {
  return !typeOnly;
}

function isPurePart({ target, names }: Edge): boolean {
  const pure = pureParts[target];
  return pure !== undefined && names.length > 0 && names.every((name) => pure.includes(name));
}
