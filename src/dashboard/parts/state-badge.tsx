const SIGNS = { HEALTHY: '✓', WARNING: '!', CRITICAL: '✕', UNKNOWN: '?' } as const;

/** A state of health, shown by sign and word, not only by colour. */
export function StateBadge({
  name,
  state,
  title,
  bare = false,
}: {
  readonly name: string;
  readonly state: keyof typeof SIGNS | undefined;
  readonly title?: string | undefined;
  /** Shows only `name`, without the state. */
  readonly bare?: boolean;
}) {
  const shown = state ?? 'UNKNOWN';
  return (
    <span class={`state ${shown}`} title={title}>
      {SIGNS[shown]} {name}
      {bare ? '' : ` ${shown.toLowerCase()}`}
    </span>
  );
}
