import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { AskError } from './ask.js';

/** Why a part has no answer, and when its last answer was made. */
export interface QueryFailure {
  readonly error: AskError;
  /** When the shown answer was made; ms since 1970. */
  readonly answeredMs: number | undefined;
  readonly again: () => void;
}

/** The troubles of all parts of a page, in the order in which they began. */
const troubles = new Map<symbol, QueryFailure>();
const CHANGED = 'hindsight-trouble';

function change(part: symbol, trouble: QueryFailure | undefined): void {
  if (trouble === undefined) troubles.delete(part);
  else troubles.set(part, trouble);
  window.dispatchEvent(new Event(CHANGED));
}

/** Makes the page show the trouble of one of its parts, once for all parts with the same trouble. */
export function useTrouble(
  given: Omit<QueryFailure, 'error'> & { readonly error: AskError | undefined },
): void {
  const [part] = useState(() => Symbol('part'));
  const { error, answeredMs } = given;
  useLayoutEffect(() => change(part, error && { ...given, error }), [error, answeredMs]);
  useEffect(() => () => change(part, undefined), []);
}

export function useTroubles(): readonly QueryFailure[] {
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    const changed = (): void => draw((count) => count + 1);
    window.addEventListener(CHANGED, changed);
    return () => window.removeEventListener(CHANGED, changed);
  }, []);
  return [...troubles.values()];
}
