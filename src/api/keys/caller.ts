import type { KeyScope } from './key-text.js';

/** Whose key a request bears. */
export interface Caller {
  /** The name of the key, as events and limits know it. */
  readonly name: string;
  readonly scope: KeyScope;
}

/** How events name who asked for something without a key, which only somebody on this computer can. */
const NOBODY = 'loopback';

/** How events name who asked for something. */
export function authorOf(caller: Caller | undefined): string {
  return caller?.name ?? NOBODY;
}
