import { catchOutput } from '../../test/support/command-here.js';
import { withProgress } from './progress.js';

/** Runs work with a progress line for some time. @returns its result, and what standard error got, as a terminal or not */
async function shown(
  ms: number,
  isTerminal: boolean,
  outcome: () => string = () => 'done',
): Promise<{ readonly text: string; readonly result: unknown }> {
  const output = catchOutput(process.stderr, isTerminal);
  try {
    const result = await withProgress('copy', 'rows', async (progress) => {
      for (let step = 0; step <= 10; step += 1) {
        progress.count(step * 1_000, 10_000, `${step} kB`);
        await new Promise((resolve) => setTimeout(resolve, ms / 10));
      }
      return outcome();
    }).catch((error: unknown) => error);
    return { text: output.text(), result };
  } finally {
    output.release();
  }
}

describe('the progress of a command', () => {
  beforeAll(() => {
    process.env['TERM'] = 'xterm';
  });

  it('appears on a terminal after two seconds, and ends its line before an error is printed', async () => {
    const { text, result } = await shown(3_000, true, () => {
      throw new Error('full');
    });
    expect(result).toEqual(new Error('full'));
    const lines = text.replaceAll('\u001b[K', '').split('\r').slice(1);
    expect(lines[0]).toMatch(/^copy: \d,000 rows, \d kB, [5-9]0 %, \d,\d{3} rows\/s, about [1-4] s left$/);
    expect(lines.at(-1)).toMatch(/^copy: 10,000 rows, 10 kB, 100 %, \d,\d{3} rows\/s\n$/);
  });

  it('is silent for short work, and outside of a terminal', async () => {
    expect(await shown(300, true)).toEqual({ text: '', result: 'done' });
    expect(await shown(2_300, false)).toEqual({ text: '', result: 'done' });
  });
});
