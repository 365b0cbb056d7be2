import { duration } from '../../domain/health/health-rule.js';
import { useNow } from '../data/now.js';
import { isPast, viewOf } from '../data/view.js';
import { moment } from '../data/words.js';

const EVERY_MS = 10_000;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** A distance of time in its largest unit: `4 s`, `12 min`, `3 h`, `9 d`. */
export function distance(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  if (ms < 60 * MINUTE_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < DAY_MS ? `${Math.floor(ms / MINUTE_MS / 60)} h` : `${Math.floor(ms / DAY_MS)} d`;
}

/** A time by its distance from the present, with the exact time on hover; the exact time on pages about a past moment. */
export function Ago({ at }: { readonly at: string | null | undefined }) {
  const now = useNow(EVERY_MS);
  if (at === null || at === undefined) return <>never</>;
  const exact = moment(at);
  const view = viewOf(location.href);
  return (
    <time dateTime={at} title={exact}>
      {isPast(view) ? exact : `${distance(now - Date.parse(at))} ago`}
    </time>
  );
}

/** The time since a moment, or between two moments; updated each second. Both are ISO 8601. */
export function Since({ at, until }: { readonly at: string; readonly until?: string | undefined }) {
  const now = useNow(1_000);
  const end = until === undefined ? now : Date.parse(until);
  return <time title={moment(at)}>{duration(Math.max(0, end - Date.parse(at)))}</time>;
}
