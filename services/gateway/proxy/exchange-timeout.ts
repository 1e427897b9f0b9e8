/** A client that neither sends nor reads anything for this many timeouts is considered gone. */
const clientTimeouts = 6;

export type ExchangeTimeout = ReturnType<typeof createExchangeTimeout>;

/**
 * One timer for the two sides of an exchange: it expires after `timeoutMs` of waiting for the
 * service, six times that for the client.
 */
export function createExchangeTimeout(timeoutMs: number, onTimeout: (on: 'service' | 'client') => void) {
  let waitingForClient = false;
  let rounds = 0;
  const timer = setTimeout(() => {
    rounds += 1;
    if (!waitingForClient) onTimeout('service');
    else if (rounds >= clientTimeouts) onTimeout('client');
    else timer.refresh();
  }, timeoutMs);
  let stopped = false;
  const waitFor = (client: boolean) => () => {
    // `refresh` would restart a timer that was cleared.
    if (stopped) return;
    waitingForClient = client;
    rounds = 0;
    timer.refresh();
  };
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
  };
  return { waitForService: waitFor(false), waitForClient: waitFor(true), stop };
}
