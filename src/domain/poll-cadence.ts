/** What the interval between two looks at a submissions list is computed from. Plain data. */
export interface PollCadence {
  /** Rows a second, exponentially weighted. */
  readonly rowsPerSecond: number;
  /** The interval chosen last, in milliseconds. */
  readonly intervalMs: number;
}

/** One look at the list, as far as it matters for the next one. */
export interface PolledLook {
  /** Time since the look before, in milliseconds. */
  readonly elapsedMs: number;
  readonly freshRows: number;
  readonly ringSize: number;
  /** Bytes of the answer. */
  readonly bodyBytes: number;
  /** First contact, a reset, a loss, or a refused or failed look: what comes next may be gone soon. */
  readonly isBreak: boolean;
  /** Whether one of the fresh rows is a failure. */
  readonly holdsFailure: boolean;
  /** False while DA is anything but healthy; a frozen inclusion does not count, as rows tell nothing of it. */
  readonly isDaHealthy: boolean;
}

/** Both in milliseconds. */
export interface CadenceSettings {
  readonly floorMs: number;
  readonly ceilingMs: number;
}

const HALF_LIFE_SECONDS = 15;
/** New rows that a look should find, so that far more of them fit before the ring has turned. */
const ROWS_PER_LOOK = 8;
/** A look that finds more than this share of the ring fresh is believed at once. */
const BURST_SHARE = 0.25;
const UNEASY_CEILING_MS = 2_000;
/** What a node sends us at most: one megabyte a second. */
const BYTES_PER_MS = 1_000;

/** Before the first look: due at the floor. */
export function initialCadence(settings: CadenceSettings): PollCadence {
  return { rowsPerSecond: 0, intervalMs: settings.floorMs };
}

/**
 * The time until the next look: as long as the rate of rows allows, between floor and ceiling, at most doubling, so
 * that a ring which fills quickly is not met by surprise. Short after a break and while attempts fail. A large answer
 * stretches it beyond every bound, so that no node sends more than a megabyte a second.
 */
export function nextCadence(before: PollCadence, look: PolledLook, settings: CadenceSettings): PollCadence {
  const rowsPerSecond = updateRate(before.rowsPerSecond, look);
  const byRate = rowsPerSecond > 0 ? (ROWS_PER_LOOK / rowsPerSecond) * 1_000 : Infinity;
  const isUneasy = look.holdsFailure || !look.isDaHealthy;
  const ceilingMs = isUneasy ? Math.min(settings.ceilingMs, UNEASY_CEILING_MS) : settings.ceilingMs;
  const wishedMs = look.isBreak
    ? settings.floorMs
    : Math.max(settings.floorMs, Math.min(ceilingMs, 2 * before.intervalMs, byRate));
  return { rowsPerSecond, intervalMs: Math.ceil(Math.max(wishedMs, look.bodyBytes / BYTES_PER_MS)) };
}

function updateRate(before: number, { elapsedMs, freshRows, ringSize, isBreak }: PolledLook): number {
  if (elapsedMs <= 0) {
    return before;
  }
  const seconds = elapsedMs / 1_000;
  const kept = 2 ** (-seconds / HALF_LIFE_SECONDS);
  const seen = freshRows / seconds;
  const smoothed = before * kept + seen * (1 - kept);
  // Rows of a break did not come since the look before: a first contact shows what gathered over hours.
  const isBurst = !isBreak && freshRows > ringSize * BURST_SHARE;
  return isBreak ? before * kept : isBurst ? Math.max(smoothed, seen) : smoothed;
}
