import { useEffect, useState } from 'preact/hooks';

const SENT = 'meta[name=now]';

let serverMs = Date.parse(document.querySelector(SENT)?.getAttribute('content') ?? '');
let receivedAt = performance.now();

/** The server's time from its last answer, in ms since 1970: first from the page, then from each answer. */
export function nowMs(): number {
  return serverMs;
}

/** Keeps the server's time from an answer, ISO 8601. */
export function noteNow(now: string): void {
  serverMs = Date.parse(now);
  receivedAt = performance.now();
}

const TICK_MS = 1_000;
/** All parts that show the passing of time, called each second by one timer. */
const ticking = new Set<() => void>();
let timer: number | undefined;

function tick(): void {
  if (!document.hidden) for (const draw of ticking) draw();
}

/** The server's present time, estimated from its last answer; ms since 1970. The caller is drawn again about every `everyMs`. */
export function useNow(everyMs: number): number {
  const [, draw] = useState(0);
  useEffect(() => {
    let last = performance.now();
    const onTick = (): void => {
      if (performance.now() - last < everyMs - TICK_MS / 2) return;
      last = performance.now();
      draw((count) => count + 1);
    };
    ticking.add(onTick);
    timer ??= window.setInterval(tick, TICK_MS);
    return () => void ticking.delete(onTick);
  }, [everyMs]);
  return serverMs + (performance.now() - receivedAt);
}
