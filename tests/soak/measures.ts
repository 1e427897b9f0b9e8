/** What is sampled, of each service (both of its processes together) or of a server. */
export type Measure = {
  key: string;
  title: string;
  unit: string;
  /**
   * How much a line may grow in the second half of a run: by `by`, or by `share` of its median if
   * that is more.
   */
  mayGrow: { by: number; share: number };
};

/** A service at rest and one at work differ by more than these; a leak passes them within an hour. */
export const measures = [
  { key: 'resident', title: 'Resident memory', unit: 'MB', mayGrow: { by: 10, share: 0.05 } },
  // Young objects come and go in 16 MB for each process, which at little load takes minutes: what leaks is old.
  { key: 'heap', title: 'Old JavaScript objects', unit: 'MB', mayGrow: { by: 10, share: 0.1 } },
  { key: 'files', title: 'Open file descriptors', unit: '', mayGrow: { by: 6, share: 0.05 } },
  { key: 'sockets', title: 'Sockets', unit: '', mayGrow: { by: 6, share: 0.05 } },
  { key: 'handles', title: 'Active handles of Node.js', unit: '', mayGrow: { by: 6, share: 0.05 } },
  { key: 'lag', title: 'Event-loop delay, p99', unit: 'ms', mayGrow: { by: 25, share: 0.25 } },
  { key: 'database', title: 'Connections to MongoDB', unit: '', mayGrow: { by: 6, share: 0.05 } },
  { key: 'broker', title: 'Connections and channels of RabbitMQ', unit: '', mayGrow: { by: 1, share: 0.01 } },
  { key: 'queues', title: 'Messages that wait in queues', unit: '', mayGrow: { by: 20, share: 0.05 } },
] as const satisfies Measure[];

export type MeasureKey = (typeof measures)[number]['key'];

/** One sample: of each measure, a value for each line of its plot. */
export type Sample = { atS: number; values: Record<MeasureKey, Record<string, number>> };
