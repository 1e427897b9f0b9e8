const everyBytes = 8 * 1024 * 1024;

let passed = 0;

/**
 * Counts the bytes of a body that passed. Their buffers lie outside V8's heap, and V8 comes to look for dead ones
 * after 64 MB of them only: each process that streams would grow by that much. A minor collection every 8 MB takes about
 * a millisecond and keeps it at a few. Nothing happens where Node was started without `--expose-gc`.
 */
export function countStreamedBytes(bytes: number): void {
  passed += bytes;
  if (passed < everyBytes) return;
  passed = 0;
  globalThis.gc?.({ type: 'minor', execution: 'sync' });
}
