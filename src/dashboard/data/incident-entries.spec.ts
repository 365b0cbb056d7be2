import { entriesOf, statesOf, type IncidentEvent } from './incident-entries.js';

type Rows = Exclude<Parameters<typeof entriesOf>[2], undefined>;
type State = Extract<IncidentEvent, { kind: 'STATE' }>['of'];
type Failure = Rows['submissions']['nodes'][number];

const at = (time: string): string => `2026-11-28T07:${time}.000Z`;
const state = (from: string, to: string | null, word: State['state'], reason = ''): State => ({
  from: at(from),
  to: to === null ? null : at(to),
  state: word,
  rule: word.toLowerCase(),
  reason,
});
const failure = (time: string, message: string): Failure => ({
  id: time,
  nodeId: 'alpha',
  time: at(time),
  message,
  cause: { title: 'The DA account is out of funds.' },
});
const rowsOf = (...nodes: Failure[]): Rows => ({
  now: at('59:00'),
  losses: { nodes: [], pageInfo: { hasNextPage: false } },
  submissions: { nodes, pageInfo: { hasNextPage: false } },
});
const OPEN = { from: at('10:00'), to: null, acknowledgements: [], notes: [] };
const STATES = [
  state('00:00', '05:00', 'UNKNOWN'),
  state('05:00', '10:00', 'HEALTHY'),
  state('10:00', '12:00', 'WARNING', '1 failed'),
  state('12:00', '13:00', 'WARNING', '2 failed'),
  state('13:00', '14:00', 'CRITICAL'),
  state('14:00', '15:00', 'HEALTHY'),
  state('15:00', null, 'WARNING'),
];
const wordsOf = (entries: ReturnType<typeof entriesOf>): string[] =>
  entries.map(({ event, count, fromMs, toMs }) => {
    const word = event.kind === 'STATE' ? event.of.state : event.kind;
    const time = (ms: number): string => new Date(ms).toISOString().slice(14, 19);
    return `${time(fromMs)} ${toMs === undefined ? 'open' : time(toMs)} ${word} ${count}`;
  });

describe('states of an incident', () => {
  it('are those during it, the last one before it, and the first one after it', () => {
    const whenOf = (to: string | null) =>
      statesOf('alpha', { from: OPEN.from, to }, STATES).map((event) =>
        event.kind === 'STATE' ? `${event.when} ${event.of.state}` : '',
      );
    const during = ['before HEALTHY', 'during WARNING', 'during WARNING', 'during CRITICAL'];
    expect(whenOf(at('14:00'))).toEqual([...during, 'after HEALTHY']);
    expect(whenOf(null)).toEqual([...during, 'during HEALTHY', 'during WARNING']);
  });
});

describe('entries of an incident', () => {
  it('are in order of time, with the end before the state that ended it', () => {
    const incident = {
      ...OPEN,
      to: at('14:00'),
      acknowledgements: [{ by: 'Ada', at: at('13:30'), note: '' }],
      notes: [{ by: 'Ada', at: at('13:40'), note: 'funded' }],
    };
    expect(wordsOf(entriesOf(incident, statesOf('alpha', incident, STATES), undefined))).toEqual([
      '05:00 10:00 HEALTHY 1',
      '10:00 13:00 WARNING 2',
      '13:00 14:00 CRITICAL 1',
      '13:30 13:30 ACKNOWLEDGED 1',
      '13:40 13:40 NOTE 1',
      '14:00 14:00 END 1',
      '14:00 15:00 HEALTHY 1',
    ]);
  });

  it('count equal failures between two changes of state, whatever numbers their messages have', () => {
    const rows = rowsOf(
      failure('13:20', 'wants 9 utia'),
      failure('12:30', 'out of gas'),
      failure('12:20', 'wants 8 utia'),
      failure('11:30', 'wants 7 utia'),
    );
    const entries = entriesOf(OPEN, statesOf('alpha', OPEN, STATES.slice(2, 5)), rows);
    expect(wordsOf(entries)).toEqual([
      '10:00 13:00 WARNING 2',
      '11:30 12:20 FAILURE 2',
      '12:30 12:30 FAILURE 1',
      '13:00 14:00 CRITICAL 1',
      '13:20 13:20 FAILURE 1',
    ]);
    const [first, failed] = entries;
    expect(first?.event).toMatchObject({ of: { reason: '2 failed' } });
    expect(failed?.event).toMatchObject({ of: { message: 'wants 8 utia' } });
  });

  it('are not merged with those of another node', () => {
    const [one] = STATES.slice(2);
    if (!one) throw new Error('no state');
    const states = ['alpha', 'beta'].flatMap((node) => statesOf(node, OPEN, [one]));
    expect(wordsOf(entriesOf(OPEN, states, undefined))).toEqual([
      '10:00 12:00 WARNING 1',
      '10:00 12:00 WARNING 1',
    ]);
  });

  it('last while a state or a gap is open', () => {
    const gap = {
      id: 'gap',
      nodeId: 'alpha',
      from: at('16:00'),
      to: at('17:00'),
      open: true,
      explanation: 'Not polled.',
    };
    const rows = { ...rowsOf(), losses: { nodes: [gap], pageInfo: { hasNextPage: false } } };
    expect(wordsOf(entriesOf(OPEN, statesOf('alpha', OPEN, STATES.slice(-1)), rows))).toEqual([
      '15:00 open WARNING 1',
      '16:00 open GAP 1',
    ]);
  });
});
