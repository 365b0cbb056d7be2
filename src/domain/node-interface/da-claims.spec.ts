import { loadHandlers } from '../../../test/support/handler-answers.js';
import { loadRecording, type RecordedLine } from '../../../test/support/recording.js';
import { loadSamples } from '../../../test/support/samples-node.js';
import { describeHealth, describeStats, followsKnownRules, type ClaimedRow } from './da-claims.js';

interface RecordedHealth extends Readonly<Record<string, unknown>> {
  readonly timestamp: string;
}

const textsOf = (line: RecordedLine | undefined) =>
  line?.answer?.status === 200 ? [line.answer.body.toString()] : [];

const rowsOf = (list: string) => (JSON.parse(list) as { submissions: ClaimedRow[] }).submissions;

/** The health of a list at the moment of a recorded answer. */
const healthOf = (list: string, { timestamp }: RecordedHealth) =>
  describeHealth(rowsOf(list), Date.parse(timestamp), timestamp);

describe("a node's statements on its DA layer, compared with real nodes", () => {
  const { lines } = loadRecording('aggregator');
  const lists = lines.get('GET /da/submissions') ?? [];

  /** The list was polled ten times a second, so an answer may match the list before or the list after. */
  function listsAround(t: number): string[] {
    const next = lists.findIndex((line) => line.t > t);
    return [lists[next - 1] ?? lists.at(-1), lists[next]].flatMap(textsOf);
  }

  it('match in every second of a recording what that node said about its health', () => {
    const answers = lines.get('GET /da/health') ?? [];
    const said = answers.flatMap((line) => textsOf(line).map((text) => ({ t: line.t, text })));
    const different = said.filter(({ t, text }) => {
      const told = JSON.parse(text) as RecordedHealth;
      return !listsAround(t).some((list) => JSON.stringify(healthOf(list, told)) === JSON.stringify(told));
    });
    expect(different).toEqual([]);
    expect(said).toHaveLength(328);
    expect(new Set(said.map(({ text }) => (JSON.parse(text) as RecordedHealth)['status']))).toEqual(
      new Set(['unknown', 'healthy', 'degraded']),
    );
  });

  it('match in every second of a recording what that node said about its list', () => {
    const answers = lines.get('GET /da/stats') ?? [];
    const said = answers.flatMap((line) => textsOf(line).map((text) => ({ t: line.t, text })));
    const different = said.filter(({ t, text }) => {
      const told = JSON.stringify(JSON.parse(text));
      return !listsAround(t).some((list) => JSON.stringify(describeStats(rowsOf(list))) === told);
    });
    expect(different).toEqual([]);
    expect(said).toHaveLength(328);
  });

  it('match other nodes: an idle one, a lazy one, and one whose attempts all fail before they leave', () => {
    const samples = loadSamples().filter(({ path, status }) => path.startsWith('/da/') && status === 200);
    const said = samples.filter(({ path, body }) => path === '/da/health' && body?.includes('metrics'));
    for (const { node, body = '' } of said) {
      const told = JSON.parse(body) as RecordedHealth;
      expect(followsKnownRules(told)).toBe(true);
      const list = samples.find((each) => each.node === node && each.path === '/da/submissions');
      expect(healthOf(list?.body ?? '', told)).toMatchObject({
        status: told['status'],
        issues: told['issues'],
      });
    }
    expect(said).toHaveLength(5);
    expect(said.map(({ body = '' }) => (JSON.parse(body) as RecordedHealth)['status'])).toContain('warning');
  });

  it.each(loadHandlers().filter(({ answers }) => answers.get('/da/health')?.includes('metrics')))(
    'match what the real handlers said about a list: $title',
    ({ answers }) => {
      const told = JSON.parse(answers.get('/da/health') ?? '') as RecordedHealth;
      const list = answers.get('/da/submissions') ?? '';
      expect(healthOf(list, told)).toEqual(told);
      const stats = answers.get('/da/stats');
      if (stats) expect(describeStats(rowsOf(list))).toEqual(JSON.parse(stats));
    },
  );
});

describe('the rules of a health claim', () => {
  const NOW = Date.UTC(2026, 10, 21);
  const row = (status: string, secondsAgo: number): ClaimedRow => ({
    blob_size: 1,
    gas_price: 0,
    status_code: status,
    timestamp: new Date(NOW - secondsAgo * 1000).toISOString(),
  });
  const said = (rows: ClaimedRow[]) => {
    const { status, is_healthy, issues } = describeHealth(rows, NOW, 'now') as RecordedHealth;
    return [status, is_healthy, issues];
  };
  const failures = (count: number, of: number, secondsAgo = 1) =>
    Array.from({ length: of }, (_, index) => row(index < count ? 'Error' : 'Success', secondsAgo));

  it.each([
    [2, 10, ['healthy', true, null]],
    [3, 10, ['degraded', false, ['High error rate: 30.0%']]],
    [1, 4, ['degraded', false, ['High error rate: 25.0%']]],
  ])('report %i errors of %i as too many only above 20 %%', (count, of, expected) => {
    expect(said(failures(count, of))).toEqual(expected);
  });

  it('use the last ten rows, and no other status', () => {
    expect(said([...failures(0, 10), ...failures(5, 5)])[0]).toBe('healthy');
    expect(said(Array.from({ length: 10 }, () => row('Incorrect Account Sequence', 1)))[0]).toBe('healthy');
  });

  it.each([
    [120, ['healthy', true, null]],
    [121, ['warning', true, ['No submissions for 2m1s']]],
    [301, ['warning', false, ['No successful submissions for 5m1s', 'No submissions for 5m1s']]],
    [3_605, ['warning', false, ['No successful submissions for 1h0m5s', 'No submissions for 1h0m5s']]],
  ])('report, after %i s of silence', (seconds, expected) => {
    expect(said([row('Success', seconds)])).toEqual(expected);
  });

  it('report five minutes without a success as unhealthy, while others are attempted', () => {
    const others = [row('Too Big', 5), row('Success', 301)];
    expect(said(others)).toEqual(['unhealthy', false, ['No successful submissions for 5m1s']]);
    expect(said([row('Too Big', 5), row('Success', 300)])[0]).toBe('healthy');
  });

  it('keep a list unhealthy that went silent in an outage, whatever its word', () => {
    expect(said(failures(10, 10, 121))).toEqual([
      'warning',
      false,
      ['High error rate: 100.0%', 'No submissions for 2m1s'],
    ]);
  });

  it('are distinguished from those of nodes with other rules', () => {
    const claim = describeHealth(failures(3, 10), NOW, new Date(NOW).toISOString()) as RecordedHealth;
    expect(followsKnownRules(claim)).toBe(true);
    for (const other of [{ status: 'warning' }, { metrics: null }, { metrics: {} }, { timestamp: 5 }]) {
      expect(followsKnownRules({ ...claim, ...other })).toBe(false);
    }
  });
});
