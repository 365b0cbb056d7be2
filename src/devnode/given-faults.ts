import type { Millis } from '../domain/time.js';
import { ActiveFaults } from './active-faults.js';

export interface GivenFault<Name extends string = string> {
  readonly fault: Name;
  /** Without it, the fault lasts until it is ended. */
  readonly forMs?: Millis | undefined;
}

/** Active faults that have parameters. A fault that begins again has the parameters given last. */
export class GivenFaults<Fault extends GivenFault> extends ActiveFaults<Fault['fault']> {
  private readonly given = new Map<Fault['fault'], Fault>();

  give(fault: Fault): void {
    const { fault: name, forMs, ...more } = fault;
    this.given.set(name, fault);
    this.begin(name, forMs, more);
  }

  /** A fault with its parameters; undefined while it is not active. */
  find<Name extends Fault['fault']>(name: Name): Extract<Fault, { fault: Name }> | undefined {
    return this.has(name) ? (this.given.get(name) as Extract<Fault, { fault: Name }>) : undefined;
  }
}
