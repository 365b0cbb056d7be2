import { toPrintable } from '../domain/printable-text.js';

/** A line on standard error that says how far a command has come; only on a terminal. */
export interface Progress {
  show(text: string): void;
  /** Leaves the last text standing and goes to the next line. */
  end(): void;
}

/** Makes a progress line. It is not drawn where standard error is no terminal, so that logs stay clean. */
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
