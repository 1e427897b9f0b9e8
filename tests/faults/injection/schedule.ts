import { setTimeout as delay } from 'node:timers/promises';
import { shuffled } from '@app/demo';
import { watchEffects } from './effects.ts';
import type { Fault, Hit, World } from './fault.ts';
import { faults } from './faults.ts';

/** A fault that happened. */
export type Played = {
  fault: string;
  target: string;
  from: Date;
  to: Date;
  /** From its end until everything was ready and took a write; null: not within the bound. */
  recoveredMs: number | null;
  /** False: nothing shows that it did anything. */
  hadEffect: boolean;
  /** Why it could not be played to its end, if so. */
  failure?: string;
};

export type ScheduleOptions = {
  world: Omit<World, 'logged'>;
  form: Form;
  /** Only these kinds. */
  only: string[];
  say: (line: string) => void;
  onFault: (fault: Fault | null) => void;
};

/**
 * `brief`: a few kinds, once and for their least time. `short`: every kind that is not long, the same. `long`: all kinds in a random
 * order, again and again until the time is over.
 */
export type Form = { kind: 'brief' | 'short' } | { kind: 'long'; minutes: number };

/**
 * Far more than recovery may take, also on a busy machine: a slow one is measured and not cut off,
 * and only one that hangs is late.
 */
const recoveryBoundMs = 600_000;
const lookEveryMs = 250;
const minuteMs = 60_000;

export async function playFaults(options: ScheduleOptions): Promise<Played[]> {
  const { world, form, say, only } = options;
  const { random } = world;
  const kinds = faults.filter((fault) => (only.length > 0 ? only.includes(fault.name) : isOf(form, fault)));
  const left = form.kind === 'long' ? [] : [...kinds];
  const deadline = Date.now() + (form.kind === 'long' ? form.minutes * minuteMs : Number.POSITIVE_INFINITY);
  const played: Played[] = [];
  for (;;) {
    await delay(random.whole(500, 3_000));
    // All kinds in a random order, then all again: none is left out of a long run by chance.
    if (form.kind === 'long' && left.length === 0) left.push(...shuffled(kinds, random));
    const fault = left.shift();
    if (!fault || Date.now() > deadline) return played;
    const one = await playOne(fault, options);
    if (!one) continue;
    played.push(one);
    say(sentenceOf(one));
  }
}

function isOf({ kind }: Form, { isLong, isBrief }: Fault): boolean {
  if (kind === 'brief') return isBrief ?? false;
  return kind === 'long' || !isLong;
}

export function sentenceOf({ fault, target, from, to, recoveredMs, failure }: Played): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const recovery = recoveredMs === null ? 'NOT ready again' : `ready again after ${seconds(recoveredMs)}`;
  if (failure) return `${from.toISOString()} ${fault}: ${failure}`;
  return `${from.toISOString()} ${fault}: ${target}, for ${seconds(to.getTime() - from.getTime())}, ${recovery}`;
}

async function playOne(fault: Fault, { world, form, onFault }: ScheduleOptions): Promise<Played | null> {
  const [least, most] = fault.lastsMs;
  // Short ones more often than long ones, so that a long run has many.
  const share = form.kind === 'long' ? world.random.next() ** 2 : 0;
  const lastsMs = Math.round(least + share * (most - least));
  const from = new Date();
  const watch = watchEffects(world.cluster);
  onFault(fault);
  const hit = await fault
    .play({ ...world, logged: watch.logged }, lastsMs)
    .catch((error: unknown) => ({ target: 'not played', failure: `${error}` }));
  const to = new Date();
  if (hit === null) {
    onFault(null);
    await watch.end();
    return null;
  }
  const recoveredMs = await untilRecovered(world);
  onFault(null);
  const effects = await watch.end();
  const { target, bites = Number(fault.effect?.test(effects)), failure } = hit as Hit & { failure?: string };
  return { fault: fault.name, target, from, to, recoveredMs, hadEffect: bites > 0, ...(failure ? { failure } : {}) };
}

async function untilRecovered({ cluster, probe }: ScheduleOptions['world']): Promise<number | null> {
  const started = Date.now();
  while (Date.now() - started < recoveryBoundMs) {
    const missing = await cluster.notReady();
    const works =
      missing.length === 0 &&
      (await probe()
        .then(() => true)
        .catch(() => false));
    if (works) return Date.now() - started;
    await delay(lookEveryMs);
  }
  return null;
}
