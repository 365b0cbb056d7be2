import { CircleCheck, CircleHelp, OctagonX, TriangleAlert } from 'lucide';
import { Icon } from './icon.js';

/** The icon of each state of health, distinct by shape. */
export const STATE_ICONS = {
  HEALTHY: CircleCheck,
  WARNING: TriangleAlert,
  CRITICAL: OctagonX,
  UNKNOWN: CircleHelp,
} as const;
export type State = keyof typeof STATE_ICONS;

/** A state of health as a filled badge: by colour, icon and word. */
export function StateBadge({
  state,
  name = state.toLowerCase(),
  title,
}: {
  readonly state: State;
  /** The word shown; the state itself when left out. */
  readonly name?: string | undefined;
  readonly title?: string | undefined;
}) {
  return (
    <span class={`state ${state}`} title={title}>
      <Icon of={STATE_ICONS[state]} />
      {name}
    </span>
  );
}

/** The title of a page that says how things are. */
export function Verdict({ state, words }: { readonly state: State | undefined; readonly words: string }) {
  return (
    <h1 class={`verdict ${state ?? ''}`}>
      {state && <Icon of={STATE_ICONS[state]} />}
      {words}
    </h1>
  );
}
