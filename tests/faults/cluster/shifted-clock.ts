import { readFileSync } from 'node:fs';
// Not from the index, whose other modules a service must not load.
import { shiftClock } from '../../../libs/testing/shifted-clock.ts';

/**
 * Loaded before a service (`node --import`): its wall clock is off by as many milliseconds as the file of `CLOCK_FILE` says, read
 * every 100 ms.
 */
const file = process.env['CLOCK_FILE'] ?? '';
let offsetMs = 0;

function readOffset(): void {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    offsetMs = 0;
  }
}

shiftClock(() => offsetMs);
readOffset();
setInterval(readOffset, 100).unref();
