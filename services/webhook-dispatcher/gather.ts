type Bounds = { longestMs: number; enough: number };

/**
 * For what need not be done at once: whoever comes within `longestMs` of the first goes on together with it, and all of them
 * as soon as there are `enough`.
 */
export function createGathering({ longestMs, enough }: Bounds): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;

  function go(): void {
    clearTimeout(timer);
    for (const one of waiting.splice(0)) one();
  }

  return () =>
    new Promise((goOn) => {
      waiting.push(goOn);
      if (waiting.length >= enough) go();
      else if (waiting.length === 1) timer = setTimeout(go, longestMs);
    });
}
