/** The log fields of a request. Ids only: paths and queries may hold private data. */
export type Access = {
  requestId: string;
  /** Present if the trace is recorded. */
  trace_id?: string;
  span_id?: string;
  method: string;
  /** The pattern of its path; null if no service has it. */
  route: string | null;
  status: number;
  durationMs: number;
  companyId: string | null;
  /** False if the response did not arrive whole: the client left, or the service broke off. */
  complete: boolean;
};

export type AccessLog = (access: Access) => void;

type Options = { write: (access: Access) => void; sampleRate: number; random?: () => number };

/**
 * One log line for each request, or for the share of them that `sampleRate` (0 to 1) says. Errors
 * and incomplete responses are always logged, except 429: a flood of one caller is no error of the
 * platform, and must not fill the log.
 */
export function createAccessLog({ write, sampleRate, random = Math.random }: Options): AccessLog {
  return (access) => {
    const failed = (access.status >= 400 && access.status !== 429) || !access.complete;
    if (failed || random() < sampleRate) write(access);
  };
}
