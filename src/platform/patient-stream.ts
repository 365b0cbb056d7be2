import { writeSync } from 'node:fs';
import { codeOf } from './errors.js';

/** A slow reader gets this many steps of this length. */
const STEP_MS = 20;
const STEPS = 50;

/**
 * Writes lines to a descriptor at once, so that the last lines before an exit are not lost. It never fails: neither the reader of
 * a log nor its disk may end or block the process that logs. Lines that cannot be written are dropped: at once on a full disk or
 * a closed pipe, after one second when nobody reads.
 */
export class PatientStream {
  private lost = 0;
  private isStuck = false;
  /** The unwritten rest of a partly written line. */
  private rest: Buffer = Buffer.alloc(0);

  /** @param onGap called with the number of lost lines, once a line was written again */
  constructor(
    private readonly descriptor: number,
    private readonly onGap: (lines: number) => void,
  ) {}

  write(line: string): void {
    if (!this.put(this.rest)) {
      this.lost += 1;
      return;
    }
    const bytes = Buffer.from(line);
    if (this.put(bytes)) {
      this.tellGap();
    } else if (this.rest.length === bytes.length) {
      // A partly written line is finished later; of this line nothing was written.
      this.rest = Buffer.alloc(0);
      this.lost += 1;
    }
  }

  private tellGap(): void {
    const { lost } = this;
    this.lost = 0;
    if (lost > 0) this.onGap(lost);
  }

  /** Returns whether everything was written; the remainder is kept in `rest`. */
  private put(bytes: Buffer): boolean {
    this.rest = bytes;
    for (let steps = 0; this.rest.length > 0;) {
      try {
        this.rest = this.rest.subarray(writeSync(this.descriptor, this.rest));
        this.isStuck = false;
      } catch (error) {
        // Once patience is used up, each line gets one try until the reader is back.
        if (codeOf(error) !== 'EAGAIN' || this.isStuck || steps === STEPS) {
          this.isStuck = true;
          return false;
        }
        steps += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
      }
    }
    return true;
  }
}
