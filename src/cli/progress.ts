import { toPrintable } from '../domain/printable-text.js';

/** A progress line on standard error; only on a terminal. */
export interface Progress {
  show(text: string): void;
  /** Keeps the last text and moves to the next line. */
  end(): void;
}

/** Creates a progress line. It draws nothing if standard error is not a terminal, so that logs stay clean. */
export function createProgress(): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: () => undefined, end: () => undefined };
  let isDrawn = false;
  return {
    show: (text) => {
      isDrawn = true;
      stderr.write(`\r${toPrintable(text)}\u001b[K`);
    },
    end: () => {
      if (isDrawn) stderr.write('\n');
      isDrawn = false;
    },
  };
}
