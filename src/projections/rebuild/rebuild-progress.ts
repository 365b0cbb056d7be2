import { WorkRate } from '../../domain/work-rate.js';
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
  /** Share, rate and remaining time of the replay, for people; excludes the computation after it. */
  readonly rate: string;
}

/** Called after each step. */
export type RebuildReport = (state: RebuildState) => void;

/** Measures progress, rate and remaining time of a rebuild. */
export class RebuildProgress {
  private readonly positions: bigint[];
  private readonly rate = new WorkRate('events');
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
    const sum = this.positions.reduce((before, each) => before + each, 0n);
    this.rate.note(Number(sum) / this.positions.length, Number(end), this.clock.monotonic());
    this.report(this.state('replay'));
  }

  /** Notes that the replay is done for now, and figures are computed. */
  computing(): void {
    this.report(this.state('compute'));
  }

  private state(phase: RebuildState['phase']): RebuildState {
    const { name, isResumed, end } = this;
    const position = this.positions.reduce((least, each) => (each < least ? each : least), end);
    const { share } = this.rate;
    return { name, isResumed, phase, position, end, share, rate: this.rate.describe() };
  }
}

/** Describes the progress for people: `record: position 4300 of 10000, 43 %, 2,890 events/s, about 2 min 5 s left`. */
export function describeRebuild({ name, phase, position, end, rate }: RebuildState): string {
  return phase === 'compute'
    ? `${name}: the log is replayed up to position ${position}; computing figures`
    : `${name}: position ${position} of ${end}, ${rate}`;
}
