/**
 * Calls back in the frame after the one in which React Aria gives the focus of a closing dialog back
 * to what opened it.
 * @returns a function that calls it off
 */
export function afterFocusRestored(callback: () => void): () => void {
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(callback);
  });
  return () => cancelAnimationFrame(frame);
}
