import { Pause, Play } from 'lucide';
import { useLiveState } from '../data/live.js';
import { useNow } from '../data/now.js';
import { isPast, type View } from '../data/view.js';
import { distance } from '../parts/ago.js';
import { Icon } from '../parts/icon.js';

/** Shows how old the page's content is, and pauses or resumes the page. */
export function LiveMark({
  view,
  answeredMs,
  isLost,
}: {
  readonly view: View;
  /** When the last answer was made; ms since 1970. */
  readonly answeredMs: number | undefined;
  /** Whether the server did not answer the last query. */
  readonly isLost: boolean;
}) {
  const now = useNow(1_000);
  if (isPast(view)) return null;
  const isPaused = view.get('live') === 'off';
  const live = useLiveState();
  const age = answeredMs === undefined ? '' : ` · updated ${distance(now - answeredMs)} ago`;
  const [state, words] = isPaused
    ? ['', 'Paused']
    : isLost
      ? ['CRITICAL', 'Connection lost']
      : live === 'lost'
        ? ['WARNING', 'Not live']
        : ['HEALTHY', 'Live'];
  return (
    <button
      type="button"
      class={`live ${state}`}
      title={isPaused ? 'Resume' : 'Pause'}
      onClick={() => view.set({ live: isPaused ? '' : 'off' })}
    >
      <Icon of={isPaused ? Play : Pause} />
      {words}
      <span class="age">{age}</span>
    </button>
  );
}
