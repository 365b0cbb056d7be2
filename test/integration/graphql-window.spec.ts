import { appendLog } from '../support/append-log.js';
import { recordLog } from '../support/record-log.js';
import { loadRecording } from '../support/recording.js';
import { useApi } from '../support/use-database.js';

interface Window {
  readonly proven: boolean;
  readonly doubt: string | null;
  readonly newestFirst: boolean;
  readonly lookedAt: string | null;
  readonly submissions: readonly { readonly raw: unknown }[];
}

const EVERY_MS = 700;
const recording = loadRecording('aggregator');
const lists = recording.lines.get('GET /da/submissions') ?? [];

/** The last answer of the recorded node before a moment. */
function shownAt(t: number): { rows: unknown[] } | undefined {
  const body = lists.findLast((line) => line.t <= t)?.answer?.body.toString();
  return body === undefined
    ? undefined
    : { rows: (JSON.parse(body) as { submissions: unknown[] }).submissions };
}

describe('the list as a recorded node was showing it', () => {
  const api = useApi();

  beforeAll(async () => {
    await appendLog(api.dataSource, recordLog({ nodes: ['aggregator'], every: EVERY_MS }));
  });

  const windowAt = async (t: number): Promise<Window> => {
    const at = new Date(recording.startMs + t).toISOString();
    const { windowAt: window } = await api.read<{ windowAt: Window }>(
      'query ($at: DateTime!) { windowAt(node: "aggregator", at: $at) { proven doubt newestFirst lookedAt submissions { raw } } }',
      { at },
    );
    return window;
  };
  const looks = Array.from(
    { length: Math.floor(recording.lengthMs / EVERY_MS) },
    (_, look) => look * EVERY_MS,
  );

  it('is what the node answered, row for row, at moments of polls', async () => {
    const sample = looks.filter((_, index) => index % Math.ceil(looks.length / 60) === 0);
    let seen = 0;
    for (const t of sample) {
      const [shown, window] = [shownAt(t), await windowAt(t)];
      expect([t, window.proven]).toEqual([t, shown !== undefined]);
      if (shown === undefined) {
        expect(['AWAY', 'NOT_SEEN']).toContain(window.doubt);
        continue;
      }
      seen += 1;
      expect(window.newestFirst).toBe(true);
      expect(window.submissions.map(({ raw }) => raw)).toEqual(shown.rows);
    }
    expect(seen).toBeGreaterThan(20);
  });

  it('is proven between two polls only if the second found what the first had left', async () => {
    const doubts = new Set<string | null>();
    for (const [index, t] of looks.entries()) {
      if (index % 5 !== 0 || doubts.size > 3) continue;
      const [before, behind] = [shownAt(t), shownAt(t + EVERY_MS)];
      const { proven, doubt, submissions } = await windowAt(t + EVERY_MS / 2);
      const isSame = JSON.stringify(before) === JSON.stringify(behind) && before !== undefined;
      doubts.add(doubt);
      expect([t, proven]).toEqual([t, isSame]);
      if (proven) expect(submissions.map(({ raw }) => raw)).toEqual(before?.rows);
    }
    expect([...doubts]).toEqual(expect.arrayContaining([null, 'BETWEEN_LOOKS', 'AWAY']));
  }, 240_000);

  it('reports that no poll had happened yet, or none since', async () => {
    expect(await windowAt(-60_000)).toEqual({
      proven: false,
      doubt: 'NOT_SEEN',
      newestFirst: true,
      lookedAt: null,
      submissions: [],
    });
    expect(await windowAt(recording.lengthMs + 86_400_000)).toMatchObject({ proven: false });
  });
});
