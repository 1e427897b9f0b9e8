import { readFileSync, writeFileSync } from 'node:fs';
// Not from the index, whose other modules a service must not load.
import { shiftClock } from '../../testing/shifted-clock.ts';

/**
 * Loaded before a service (`node --import`): its wall clock is off by as many milliseconds as the file of `CLOCK_FILE` says, read
 * every 100 ms. How often the process has looked at the wrong clock stands in a file beside it.
 */
const file = process.env['CLOCK_FILE'] ?? '';
let offsetMs = 0;
let looks = 0;

function readOffset(): void {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    offsetMs = 0;
  }
  if (looks > 0) writeFileSync(`${file}.looks`, String(looks));
}

shiftClock(() => {
  if (offsetMs !== 0) looks += 1;
  return offsetMs;
});
readOffset();
setInterval(readOffset, 100).unref();
