import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** Queries of the page that have neither an answer nor an error yet. */
const pending = new Set<symbol>();
const READY = 'hindsight-ready';
let timer = 0;

/** Reports to scripts whether the page is drawn: `data-ready` of the document. */
function report(): void {
  const { dataset } = document.documentElement;
  window.clearTimeout(timer);
  if (pending.size > 0) {
    dataset['ready'] = 'false';
    return;
  }
  // After the charts, which are drawn in tasks of their own.
  timer = window.setTimeout(() => {
    dataset['ready'] = 'true';
    window.dispatchEvent(new Event(READY));
  });
}

/** Keeps the page from being reported as drawn while a part of it waits for its first answer. */
export function usePending(isPending: boolean): void {
  const [part] = useState(() => Symbol('part'));
  useLayoutEffect(() => {
    if (isPending) pending.add(part);
    report();
    return () => {
      pending.delete(part);
      report();
    };
  }, [isPending]);
}

/** Whether the page has been drawn once: parts at its end may query then. */
export function useDrawnOnce(): boolean {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    const drawn = (): void => setDrawn(true);
    window.addEventListener(READY, drawn);
    return () => window.removeEventListener(READY, drawn);
  }, []);
  return isDrawn;
}
