/** What the log tells of a request, as fields: ids and no more, since paths and queries may hold what only their owner may know. */
export type Access = {
  requestId: string;
  method: string;
  /** The pattern of its path; null where no service stands behind it. */
  route: string | null;
  status: number;
  durationMs: number;
  companyId: string | null;
  /** False where the answer did not arrive whole: the client left, or the service broke off. */
  complete: boolean;
};

export type AccessLog = (access: Access) => void;

type Options = { write: (access: Access) => void; sampleRate: number; random?: () => number };

/**
 * One line a request, of so many in all as `sampleRate` says; errors leave one always. Not 429: a caller's flood is
 * no error of ours, and must not fill the log where few lines are wanted.
 */
export function createAccessLog({ write, sampleRate, random = Math.random }: Options): AccessLog {
  return (access) => {
    const failed = (access.status >= 400 && access.status !== 429) || !access.complete;
    if (failed || random() < sampleRate) write(access);
  };
}
