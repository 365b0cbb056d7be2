import type { Clock } from '../../platform/clock.js';

export interface RebuildState {
  readonly name: string;
  /** Whether it continues an interrupted rebuild. */
  readonly isResumed: boolean;
  /** `replay`: applying events of the log; `compute`: computing figures from them. */
  readonly phase: 'replay' | 'compute';
  /** The position that all projections of the set have reached. */
  readonly position: bigint;
  readonly end: bigint;
  /** Completed share of the replay, 0 to 1. */
  readonly share: number;
  /** Events of the log per second since the rebuild began; undefined in the first second. */
  readonly eventsPerSecond?: number;
  /** Seconds until the replay is done, at this rate; excludes the computation after it. */
  readonly secondsLeft?: number;
}

/** Called after each step. */
export type RebuildReport = (state: RebuildState) => void;

const MEASURED_AFTER_MS = 1_000;

/** Measures progress, rate and remaining time of a rebuild. */
export class RebuildProgress {
  private readonly positions: bigint[];
  private began: { readonly at: number; readonly position: bigint } | undefined;
  private isResumed = false;
  private end = 0n;

  constructor(
    private readonly name: string,
    projections: number,
    private readonly clock: Clock,
    private readonly report: RebuildReport,
  ) {
    this.positions = Array.from({ length: projections }, () => 0n);
  }

  begin(isResumed: boolean): void {
    this.isResumed = isResumed;
  }

  /** Notes that a projection, given by its index in the set, has reached a position. */
  replayed(index: number, position: bigint, end: bigint): void {
    this.positions[index] = position;
    this.end = end;
    // The rate counts from the first position, because an interrupted rebuild did the earlier ones.
    this.began ??= { at: this.clock.monotonic(), position: this.sum() };
    this.report(this.state('replay'));
  }

  /** Notes that the replay is done for now, and figures are computed. */
  computing(): void {
    this.report(this.state('compute'));
  }

  private sum(): bigint {
    return this.positions.reduce((sum, each) => sum + each, 0n);
  }

  private state(phase: RebuildState['phase']): RebuildState {
    const { name, isResumed, end } = this;
    const count = BigInt(this.positions.length);
    const position = this.positions.reduce((least, each) => (each < least ? each : least), end);
    const share = end === 0n ? 1 : Number((this.sum() * 10_000n) / (end * count)) / 10_000;
    return { name, isResumed, phase, position, end, share, ...this.measure(end, count) };
  }

  private measure(end: bigint, count: bigint): Pick<RebuildState, 'eventsPerSecond' | 'secondsLeft'> {
    const ms = this.began ? this.clock.monotonic() - this.began.at : 0;
    if (!this.began || ms < MEASURED_AFTER_MS) return {};
    const perSecond = (Number(this.sum() - this.began.position) * 1_000) / ms / Number(count);
    if (perSecond <= 0) return {};
    const left = Number(end * count - this.sum()) / Number(count);
    return { eventsPerSecond: Math.round(perSecond), secondsLeft: Math.ceil(left / perSecond) };
  }
}

/** Describes the progress for people: `record: 43 % (position 4300 of 10000), 2890 events/s, about 2 min left`. */
export function describeRebuild(state: RebuildState): string {
  const { name, phase, position, end, share, eventsPerSecond, secondsLeft } = state;
  if (phase === 'compute')
    return `${name}: the log is replayed up to position ${position}; computing figures`;
  return [
    `${name}: ${Math.floor(share * 100)} % (position ${position} of ${end})`,
    ...(eventsPerSecond === undefined ? [] : [`${eventsPerSecond} events/s`]),
    ...(secondsLeft === undefined ? [] : [`about ${describeSeconds(secondsLeft)} left`]),
  ].join(', ');
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
