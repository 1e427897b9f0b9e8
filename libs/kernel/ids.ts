// Strings everywhere: a forgotten conversion from an ObjectId finds nothing and says nothing. Ids that are hashes would write an index in
// random places.
import { createHash, randomBytes } from 'node:crypto';

const idPattern = /^[0-9a-f]{24}$/i;
const processPart = randomBytes(5).toString('hex');
// In the lower half: ids of one second would sort wrongly where it begins again at 0.
let counter = randomBytes(3).readUIntBE(0, 3) & 0x7fffff;

/**
 * A new id: 24 hexadecimal characters laid out as a MongoDB ObjectID (4 bytes of seconds, 5 random, 3 of a counter),
 * so that ids sort by the second of their creation. Stored as strings, without conversion.
 */
export function newId(at: Date = new Date()): string {
  counter = (counter + 1) % 0x1000000;
  return secondOf(at) + processPart + counter.toString(16).padStart(6, '0');
}

/** The id that follows from a text: the same each time. It begins with its second, as every id does. */
export function idFrom(at: Date, text: string): string {
  return secondOf(at) + createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function secondOf(at: Date): string {
  const second = Math.floor(at.getTime() / 1000) || 0;
  return second.toString(16).padStart(8, '0').slice(-8);
}

/** Whether the text is 24 hexadecimal characters. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value);
}
