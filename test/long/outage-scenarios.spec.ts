import { liveThroughOutages, type LivedOutages, type Look } from '../support/outages/live-through-outages.js';
import { OUTAGE_NODES } from '../support/outages/scenarios.js';

/** The last end is reported 580 s after the first possible fault; a busy machine needs more time. */
const LENGTH_MS = 640_000;
const PATIENCE_MS = 1_200_000;
/** Polls are up to 5 s apart, and a poll may last as long on a busy machine. */
const LATE_MS = 15_000;

/** Subject, worst state and nodes of each incident. Coverage is separate: a dead node loses the rows of its list. */
const INCIDENTS = [
  'DA slow-dead',
  'NODE CRITICAL slow-dead',
  'FINALITY CRITICAL frozen',
  // Four minutes of calm are too few to end the incident.
  'NODE CRITICAL restarted',
  'NODE CRITICAL first-dead',
  'NODE CRITICAL second-dead',
  'DA CRITICAL funds-refused',
  'DA CRITICAL well-at-times',
];

const MESSAGES = [
  'node-unreachable RAISED slow-dead',
  'node-unreachable RESOLVED slow-dead',
  'rows-missed RAISED slow-dead',
  'finality-frozen RAISED frozen',
  'finality-frozen RESOLVED frozen',
  'node-unreachable RAISED restarted',
  'rows-missed RAISED restarted',
  'da-failing RAISED funds-refused',
  'da-failing RESOLVED funds-refused',
  'da-failing RAISED well-at-times',
  'da-failing RESOLVED well-at-times',
];

/** The time from the start of a fault to its alert, in seconds: never earlier than the rule waits. */
const RAISED_AFTER = [
  { node: 'slow-dead', fault: 'kill', rule: 'node-unreachable', atLeast: 115, atMost: 165 },
  // The restart four minutes before does not make this alert earlier.
  { node: 'restarted', fault: 'kill', rule: 'node-unreachable', atLeast: 115, atMost: 165 },
  { node: 'frozen', fault: 'frozen', rule: 'finality-frozen', atLeast: 75, atMost: 150 },
  { node: 'funds-refused', fault: 'funds', rule: 'da-failing', atLeast: 60, atMost: 100 },
  { node: 'well-at-times', fault: 'refused', rule: 'da-failing', atLeast: 60, atMost: 130 },
] as const;

/** The text of an open incident, in seconds after the start of a fault. */
const WORDS = [
  { node: 'slow-dead', fault: 'kill', after: [20, 120, 145], says: /^Node unreachable for / },
  { node: 'restarted', fault: 'kill', after: [20, 120, 145], says: /^Node unreachable for / },
  { node: 'funds-refused', fault: 'funds', after: [15, 60, 95], says: /Latest error: .*insufficient funds/ },
  {
    node: 'funds-refused',
    fault: 'refused',
    after: [15, 60, 85],
    says: /Latest error: .*connection refused/,
  },
  {
    node: 'well-at-times',
    fault: 'refused',
    after: [15, 120, 230],
    says: /Latest error: .*connection refused/,
  },
] as const;

describe('outages of real nodes, and their reports', () => {
  let lived: LivedOutages;

  beforeAll(async () => {
    lived = await liveThroughOutages(OUTAGE_NODES, LENGTH_MS);
    console.info(lived.messages.map(({ text }) => text).join('\n\n'));
  }, PATIENCE_MS);

  const beganAt = (node: string, fault: string): number => {
    const first = lived.truths[node]?.find((each) => each.what === 'fault-began' && each.fault === fault);
    return Date.parse(first?.at ?? '');
  };
  const lookAt = (atMs: number): Look | undefined => lived.looks.find(({ at }) => at >= atMs);

  it('are the expected incidents', () => {
    const told = lived.looks.at(-1)?.incidents.filter(({ subject }) => subject !== 'COVERAGE') ?? [];
    const lines = told.map(({ subject, severity, nodes }) => {
      const names = nodes.map(({ nodeId }) => nodeId).join();
      // The severity of a hang depends on what was usual before.
      return names === 'slow-dead' && subject === 'DA' ? 'DA slow-dead' : `${subject} ${severity} ${names}`;
    });
    expect(lines.toSorted()).toEqual(INCIDENTS.toSorted());
  });

  it('are the expected messages', () => {
    const told = lived.messages.map(({ rule, status, nodes }) => `${rule} ${status} ${nodes.join()}`);
    expect(told.toSorted()).toEqual(MESSAGES.toSorted());
  });

  it.each(RAISED_AFTER)('are reported in time: $node $fault', ({ node, fault, rule, atLeast, atMost }) => {
    const raised = lived.messages.find((each) => each.rule === rule && each.nodes.includes(node));
    const afterS = ((raised?.at ?? NaN) - beganAt(node, fault)) / 1_000;
    expect(afterS).toBeGreaterThanOrEqual(atLeast);
    expect(afterS).toBeLessThanOrEqual(atMost);
  });

  it.each(WORDS)('are reported in present words: $node $fault', ({ node, fault, after, says }) => {
    for (const seconds of after) {
      const open = lookAt(beganAt(node, fault) + seconds * 1_000)?.incidents.filter(
        ({ subject, to, nodes }) => subject !== 'COVERAGE' && to === null && nodes[0]?.nodeId === node,
      );
      const worst = open?.filter(({ subject }) => (fault === 'kill' ? subject === 'NODE' : true));
      expect(worst?.map(({ reason }) => reason)).toEqual([expect.stringMatching(says)]);
    }
  });

  it.each(['slow-dead', 'restarted'])('are reported with their length so far: %s', (node) => {
    const killedAt = beganAt(node, 'kill');
    for (const { at, incidents } of lived.looks) {
      if (at < killedAt + 2 * LATE_MS || at > killedAt + 145_000) continue;
      const open = incidents.find(({ subject, nodes }) => subject === 'NODE' && nodes[0]?.nodeId === node);
      const toldMs = readDuration(open?.reason ?? '');
      expect({ toldMs, isNow: Math.abs(toldMs - (at - killedAt)) <= LATE_MS }).toMatchObject({ isNow: true });
    }
  });

  it('report the most frequent cause of failures, and the last cause if it differs', () => {
    const ended = lived.looks.at(-1)?.incidents.find(({ nodes }) => nodes[0]?.nodeId === 'funds-refused');
    expect(ended?.to).not.toBeNull();
    expect(ended?.reason).toMatch(
      /Most frequent cause \(.*insufficient funds\. Latest cause: .*connection refused/,
    );
  });

  it.each([
    ['funds', 95, /^The DA account is out of funds/],
    ['refused', 60, /^The DA endpoint cannot be reached/],
  ])('report a remedy for the present cause: %s', (fault, seconds, says) => {
    const look = lookAt(beganAt('funds-refused', fault) + seconds * 1_000);
    const open = look?.incidents.find(({ nodes }) => nodes[0]?.nodeId === 'funds-refused');
    expect(open?.remedy).toMatch(says);
  });

  it('end incidents that were over before the node died', () => {
    const ended = lived.looks
      .at(-1)
      ?.incidents.find(({ subject, nodes }) => subject === 'DA' && nodes[0]?.nodeId === 'slow-dead');
    expect(Date.parse(ended?.to ?? '')).toBeLessThan(beganAt('slow-dead', 'kill'));
  });
});

/** Milliseconds of the first duration in a sentence, as `1 min 46 s` or `2 min`; NaN without one. */
function readDuration(text: string): number {
  const [found = '', minutes = '0', seconds = '0'] = /for (?:(\d+) min)? ?(?:([\d.]+) s)?/.exec(text) ?? [];
  return found.trim() === 'for' || found === '' ? NaN : (Number(minutes) * 60 + Number(seconds)) * 1_000;
}
