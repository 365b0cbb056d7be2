import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { toPrintable } from '../../domain/printable-text.js';
import { TroubleBox, useTrouble, type Trouble } from './troubles.js';

const LONGEST_TITLE = 200;

/**
 * Reports to scripts that the page is drawn: `data-ready` of the document.
 * @param title of the page, in the tab
 * @returns whether that was reported: the parts below may be requested then
 */
export function useDrawn(drawn: boolean, title?: string): boolean {
  const [isTold, setTold] = useState(false);
  useLayoutEffect(() => {
    const told = document.documentElement.dataset;
    if (!drawn) {
      told['ready'] = 'false';
      return undefined;
    }
    // After the charts, which are drawn in tasks of their own.
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

/** Why there is no answer: a refused query is shown here; trouble with the whole server is shown once per page. */
export function Trouble(given: Trouble) {
  const isOwn = given.error.trouble === 'refused';
  useTrouble(isOwn ? undefined : given);
  return isOwn ? <TroubleBox of={[given]} /> : null;
}
