import type { Clock } from '../../platform/clock.js';

/** How far a rebuild has come. */
export interface RebuildState {
  /** Name of the set. */
  readonly name: string;
  /** Whether it went on from what an interrupted one had done. */
  readonly isResumed: boolean;
  /** `replay`: events of the log; `compute`: figures from them. */
  readonly phase: 'replay' | 'compute';
  /** The position up to which all projections of the set have read. */
  readonly position: bigint;
  readonly end: bigint;
  /** Share of the replay that is done, 0 to 1. */
  readonly share: number;
  /** Events of the log a second, since it began; undefined in the first second. */
  readonly eventsPerSecond?: number;
  /** Seconds until the replay is done, at this rate. What is computed after it is not in it. */
  readonly secondsLeft?: number;
}

/** Told after each step. */
export type RebuildReport = (state: RebuildState) => void;

const MEASURED_AFTER_MS = 1_000;

/** Counts how far the projections of a set have come, how fast, and how long it will take. */
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

  /** A projection, by its place in the set, has come to a position. */
  replayed(index: number, position: bigint, end: bigint): void {
    this.positions[index] = position;
    this.end = end;
    // Where an interrupted one had come to was not done now.
    this.began ??= { at: this.clock.monotonic(), position: this.sum() };
    this.report(this.state('replay'));
  }

  /** The replay is done for now, and figures are computed. */
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

/** How far a rebuild has come, for people: `record: 43 % (position 4300 of 10000), 2890 events/s, about 2 min left`. */
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
