// What the bench measures with in the page. It is loaded before the console.

/** Largest Contentful Paint so far, in ms. */
globalThis.largestPaint = () =>
  new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime));
    observer.observe({ type: 'largest-contentful-paint', buffered: true });
  });

/** From the next Enter on, in ms: until the invoice of that number is painted, and until its document is. */
globalThis.timesAfterEnter = (number) => {
  const isShown = () => document.querySelector('section[aria-label=Match]')?.textContent.includes(number);
  const isDrawn = () => [...document.querySelectorAll('mark')].some(({ textContent }) => textContent === number);
  const painted = () =>
    new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));
  const until = (isThere) =>
    new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!isThere()) return;
        observer.disconnect();
        resolve(painted());
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  return new Promise((resolve) => {
    const begin = async ({ key, timeStamp }) => {
      if (key !== 'Enter') return;
      removeEventListener('keydown', begin, { capture: true });
      const [shown, drawn] = await Promise.all([until(isShown), until(isDrawn)]);
      resolve({ shown: shown - timeStamp, drawn: drawn - timeStamp });
    };
    addEventListener('keydown', begin, { capture: true });
  });
};
