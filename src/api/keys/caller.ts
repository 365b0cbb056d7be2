import type { KeyScope } from './key-text.js';

/** The owner of a request's key. */
export interface Caller {
  /** The name of the key in events and limits. */
  readonly name: string;
  readonly scope: KeyScope;
}

/** The author in events for requests without a key, which only clients on this computer can make. */
const NOBODY = 'loopback';

/** The author of a request in events. */
export function authorOf(caller: Caller | undefined): string {
  return caller?.name ?? NOBODY;
}
