import { toPrintable } from '../domain/printable-text.js';
import { toCount, WorkRate } from '../domain/work-rate.js';
import { SystemClock } from '../platform/clock.js';

/** Work that takes longer shows its progress. */
const PATIENCE_MS = 2_000;
const REDRAW_MS = 200;

/** Reports the progress of a command. Calls are cheap: the line is redrawn a few times a second. */
export interface Progress {
  /** Shows a phase whose length is unknown. */
  show(text: string): void;
  /**
   * Shows an amount with its share, its rate and the time left.
   * @param total may be an estimate; undefined if unknown
   * @param note printed after the amount
   */
  count(done: number, total?: number, note?: string): void;
}

/**
 * Runs work that reports its progress. From its third second on, a line on standard error shows it; only on a terminal that can
 * redraw a line, so that logs stay clean.
 * @param title of the line
 * @param unit plural of what is counted
 */
export async function withProgress<T>(
  title: string,
  unit: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const line = new ProgressLine(title, unit);
  try {
    return await work(line);
  } finally {
    line.end();
  }
}

class ProgressLine implements Progress {
  private readonly clock = new SystemClock();
  private readonly startedAt = this.clock.monotonic();
  private readonly rate: WorkRate;
  private readonly timer: NodeJS.Timeout | undefined;
  private read = (): string => '';
  private drawn = '';

  constructor(
    private readonly title: string,
    private readonly unit: string,
  ) {
    this.rate = new WorkRate(unit);
    if (process.stderr.isTTY && process.env['TERM'] !== 'dumb')
      this.timer = setInterval(() => this.draw(), REDRAW_MS).unref();
  }

  show(text: string): void {
    this.read = () => text;
  }

  count(done: number, total?: number, note = ''): void {
    this.rate.note(done, total, this.clock.monotonic());
    this.read = () =>
      [`${this.title}: ${toCount(done)} ${this.unit}`, note, this.rate.describe()]
        .filter((part) => part !== '')
        .join(', ');
  }

  /** Draws the last amount, and moves to the next line. */
  end(): void {
    clearInterval(this.timer);
    if (this.drawn === '') return;
    this.draw();
    process.stderr.write('\n');
  }

  private draw(): void {
    const text = this.read();
    // An unchanged line is not drawn again: a pager may use the same terminal.
    if (text === this.drawn || this.clock.monotonic() - this.startedAt < PATIENCE_MS) return;
    this.drawn = text;
    // A longer line would wrap, and could not be redrawn.
    const width = (process.stderr.columns || 80) - 1;
    process.stderr.write(`\r${toPrintable(text, width)}\u001b[K`);
  }
}
