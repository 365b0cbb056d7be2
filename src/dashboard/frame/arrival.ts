import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';

/** A page that is drawn again may take this long to be as long as it was; ms. */
const RESTORED_WITHIN_MS = 10_000;
/** Cards that arrive within this time above the place must not move it; ms. */
const SETTLED_AFTER_MS = 1_000;
/** A person who does one of these chooses the place: nothing is restored any more. */
const ACTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** The scroll position of each address, in pixels. */
const places = new Map<string, number>();

/**
 * Begins a page that a link led to at its top, also for people who use a keyboard or a screen reader. Back and forward lead to
 * where the page was left.
 */
export function useArrival(path: string): void {
  const { url } = useLocation();
  const shown = useRef({ path, url });
  const isStepInHistory = useRef(false);
  useEffect(() => {
    const onStep = (): void => void (isStepInHistory.current = true);
    const keepPlace = (): void => {
      // The address changes before its page is drawn: until then the place is that of the old page.
      const { url: own } = shown.current;
      if (own === location.pathname + location.search) places.set(own, window.scrollY);
    };
    window.addEventListener('popstate', onStep);
    window.addEventListener('scroll', keepPlace, { passive: true });
    // A browser reports a scroll with the next frame, which a click right after it does not wait for.
    window.addEventListener('click', keepPlace, { capture: true });
    return () => {
      window.removeEventListener('popstate', onStep);
      window.removeEventListener('scroll', keepPlace);
      window.removeEventListener('click', keepPlace, { capture: true });
    };
  }, []);
  useEffect(() => {
    const isOther = shown.current.path !== path;
    const place = isStepInHistory.current ? (places.get(url) ?? 0) : 0;
    shown.current = { path, url };
    isStepInHistory.current = false;
    if (!isOther) return undefined;
    window.scrollTo(0, place);
    document.getElementById('content')?.focus({ preventScroll: true });
    return place === 0 ? undefined : restore(place);
  }, [path, url]);
}

/** Scrolls to a place until the page is long enough and settled, unless somebody scrolls meanwhile. @returns ends that */
function restore(place: number): () => void {
  const watcher = new ResizeObserver(() => {
    window.scrollTo(0, place);
    if (Math.abs(window.scrollY - place) >= 1) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(end, SETTLED_AFTER_MS);
  });
  const end = (): void => {
    window.clearTimeout(timer);
    watcher.disconnect();
    for (const act of ACTS) window.removeEventListener(act, end);
  };
  let timer = window.setTimeout(end, RESTORED_WITHIN_MS);
  watcher.observe(document.body);
  for (const act of ACTS) window.addEventListener(act, end, { passive: true });
  return end;
}
