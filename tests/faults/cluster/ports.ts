import { isPortFree } from '@app/start/infra';

/** Above those of the end-to-end tests. */
const lowestPort = 28_100;
const platformPorts = 60;
const span = 140;
const blocks = 33;

/**
 * Ports in a row, below those that systems give to outgoing connections: there, the port of a process that is down for a moment may
 * be somebody else's when it comes back. The platform has the first, the rest is given out one by one.
 */
export class Ports {
  readonly base: number;
  #next: number;

  private constructor(base: number) {
    this.base = base;
    this.#next = base + platformPorts;
  }

  static async find(): Promise<Ports> {
    for (let attempt = 0; attempt < 50; attempt++) {
      const base = lowestPort + span * Math.floor(Math.random() * blocks);
      const free = await Promise.all(Array.from({ length: span }, (_, offset) => isPortFree(base + offset)));
      if (free.every(Boolean)) return new Ports(base);
    }
    throw new Error(`no ${span} ports in a row are free on this machine`);
  }

  take(count: number): number[] {
    this.#next += count;
    return Array.from({ length: count }, (_, index) => this.#next - count + index);
  }
}
