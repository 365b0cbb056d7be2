import { appendFileSync } from 'node:fs';
import { printJson } from '../domain/node-interface/print-json.js';
import type { Clock } from '../platform/clock.js';

type TruthKind =
  | 'node-started'
  | 'node-stopped'
  | 'node-killed'
  | 'fault-began'
  | 'fault-ended'
  | 'leads'
  | 'follows'
  | 'block'
  | 'included'
  | 'attempt'
  | 'attempt-ended'
  | 'execution-refused'
  | 'stopped-itself'
  | 'executed'
  | 'rolled-back'
  | 'da-block'
  | 'transaction'
  | 'ledger';

export type NoteTruth = (what: TruthKind, more?: object) => void;

/** Newest lines that are kept for `GET /dev/truth`. */
const LINES_KEPT = 10_000;

/** Everything that happened to a devnode, one line of JSON each, to check a monitor's findings against. */
export class TruthLog {
  private kept: string[] = [];

  /** @param file every line is appended to it; without one only the newest lines are kept, in memory */
  constructor(
    private readonly clock: Clock,
    private readonly file?: string,
  ) {}

  readonly note: NoteTruth = (what, more = {}) => {
    const line = `${printJson({ at: new Date(this.clock.now()).toISOString(), what, ...more })}\n`;
    if (this.file !== undefined) appendFileSync(this.file, line);
    // Cut now and then, so that a line costs the same however many there are.
    if (this.kept.length >= 2 * LINES_KEPT) this.kept = this.kept.slice(-LINES_KEPT);
    this.kept.push(line);
  };

  /** The newest lines, the oldest of them first. */
  get text(): string {
    return this.kept.slice(-LINES_KEPT).join('');
  }
}
