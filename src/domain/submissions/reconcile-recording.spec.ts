import { loadRecording, loadTruth } from '../../../test/support/recording.js';
import { applyVerdict, initialRing } from './known-ring.js';
import { reconcile } from './reconcile-window.js';
import { scanRows } from './row-scanner.js';
import { decodeSubmissionRow } from './submission-row.js';
import type { WindowLoss } from './window-verdict.js';

const recording = loadRecording('aggregator');
const truth = loadTruth().map(({ t, row }) => ({ t, text: JSON.stringify(row) }));
const answers = recording.lines.get('GET /da/submissions') ?? [];

/** Polls the recording at a fixed pace; while the whole node was down, nothing answers. */
function record(everyMs: number, phaseMs: number): { rows: string[]; losses: WindowLoss[] } {
  let known = initialRing();
  const rows: string[] = [];
  const losses: WindowLoss[] = [];
  let last: object | undefined;
  // The recorded node was down for seconds with each restart.
  let isSameProcess = false;
  for (let at = phaseMs; at <= recording.lengthMs; at += everyMs) {
    const answer = answers.findLast((line) => line.t <= at)?.answer;
    if (!answer) isSameProcess = false;
    if (answer && answer !== last) {
      last = answer;
      const verdict = reconcile(known, {
        ...scanRows(answer.body.toString()),
        isSameProcess,
      });
      isSameProcess = true;
      known = applyVerdict(known, verdict);
      expect('fresh' in verdict).toBe(true);
      rows.push(...('fresh' in verdict ? verdict.fresh : []));
      losses.push(...('fresh' in verdict && verdict.loss ? [verdict.loss] : []));
    }
  }
  return { rows, losses };
}

describe('the recorded node', () => {
  it.each([200, 1_000, 2_000, 5_000])(
    'polled every %d ms, shows each row once, in order, or loses it in a recorded gap',
    (everyMs) => {
      for (const phaseMs of [0, 70, 130, 190].map((share) => Math.floor((share / 200) * everyMs))) {
        const { rows, losses } = record(everyMs, phaseMs);
        const places = new Map(truth.map(({ text }, place) => [text, place]));
        let next = 0;
        rows.forEach((text, index) => {
          const place = places.get(text) ?? -1;
          expect(place).toBeGreaterThanOrEqual(next);
          const isHole = losses.some((loss) => loss.after === index);
          expect(place === next || isHole).toBe(true);
          next = place + 1;
        });
        expect(losses.map((loss) => loss.kind)).toEqual(['BEFORE_START', 'RESET', 'RESET']);
        // The rows that a restart loses are younger than the last poll.
        expect(truth.length - rows.length).toBeLessThanOrEqual((everyMs / 1_000) * 12 + 2);
      }
    },
  );

  it('has no row with an unreadable field', () => {
    for (const { text } of truth) {
      const row = decodeSubmissionRow(text);
      expect(row).toMatchObject({ unreadable: [], namespace: expect.stringMatching(/^[0-9a-f]{58}$/) });
      expect(row.status).not.toBe('OTHER');
      expect(row.daHeight === null).toBe(row.status !== 'SUCCESS');
      expect(row.blobIds).toHaveLength(row.status === 'SUCCESS' ? (row.blobCount ?? 0) : 0);
    }
  });
});
