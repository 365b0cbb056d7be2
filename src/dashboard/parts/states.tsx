import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { toPrintable } from '../../domain/printable-text.js';
import { TroubleBox, useTrouble, type Trouble } from './troubles.js';

const LONGEST_TITLE = 200;

/**
 * Tells scripts that the page is drawn: `data-ready` of the document.
 * @param title of the page, in the tab
 * @returns whether it was told: what stands below may be asked for
 */
export function useDrawn(drawn: boolean, title?: string): boolean {
  const [isTold, setTold] = useState(false);
  useLayoutEffect(() => {
    const told = document.documentElement.dataset;
    if (!drawn) {
      told['ready'] = 'false';
      return undefined;
    }
    // Behind the charts, which are drawn in tasks of their own.
    const timer = window.setTimeout(() => {
      told['ready'] = 'true';
      setTold(true);
    });
    return () => window.clearTimeout(timer);
  }, [drawn]);
  useEffect(() => {
    if (title !== undefined) document.title = `${toPrintable(title, LONGEST_TITLE)} · Hindsight`;
  }, [title]);
  return isTold;
}

/** Why there is no answer: where the question is refused, here; what the whole server is in trouble with the page tells once. */
export function Trouble(given: Trouble) {
  const isOwn = given.error.trouble === 'refused';
  useTrouble(isOwn ? undefined : given);
  return isOwn ? <TroubleBox of={[given]} /> : null;
}
