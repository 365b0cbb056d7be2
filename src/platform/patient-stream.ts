import { writeSync } from 'node:fs';
import { codeOf } from './errors.js';

/** A reader that is slow is waited for in steps of so long, so many times. */
const STEP_MS = 20;
const STEPS = 50;

/**
 * Writes lines to a descriptor at once, so that the last words before an exit are not lost. It never fails. Neither the
 * reader of a log nor its disk may end or stop what it is the log of. What cannot be written is dropped: at once on a
 * full disk or a closed pipe, after a second of patience where nobody reads.
 */
export class PatientStream {
  private lost = 0;
  private isStuck = false;
  /** What is left of a line of which a part was taken. */
  private rest: Buffer = Buffer.alloc(0);

  /** @param onGap told how many lines were lost, once one was taken again */
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
      // What was taken in part is finished later; of this line nothing came out.
      this.rest = Buffer.alloc(0);
      this.lost += 1;
    }
  }

  private tellGap(): void {
    const { lost } = this;
    this.lost = 0;
    if (lost > 0) this.onGap(lost);
  }

  /** Whether all of it was taken; else what was not is kept in `rest`. */
  private put(bytes: Buffer): boolean {
    this.rest = bytes;
    for (let steps = 0; this.rest.length > 0;) {
      try {
        this.rest = this.rest.subarray(writeSync(this.descriptor, this.rest));
        this.isStuck = false;
      } catch (error) {
        // Once the patience is used up, one try for each line, until the reader is back.
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
