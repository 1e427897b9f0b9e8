/** A client that sends nothing of its body, or takes nothing of its answer, for that many time limits is gone. */
const patience = 6;

export type Watch = { forService(): void; forClient(): void; stop(): void };

/** One timer for an exchange: it runs out on the service, and much later on a client that takes nothing. */
export function watch(timeoutMs: number, giveUp: (on: 'service' | 'client') => void): Watch {
  let waitingForClient = false;
  let turns = 0;
  const timer = setTimeout(() => {
    turns += 1;
    if (!waitingForClient) giveUp('service');
    else if (turns >= patience) giveUp('client');
    else timer.refresh();
  }, timeoutMs);
  let stopped = false;
  const turnTo = (client: boolean) => () => {
    // A timer that was cleared would start again.
    if (stopped) return;
    waitingForClient = client;
    turns = 0;
    timer.refresh();
  };
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  return { forService: turnTo(false), forClient: turnTo(true), stop };
}
