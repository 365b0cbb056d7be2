import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { toAnswerText, Admission } from './operation.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ReadRequest } from '../../platform/reads/read-request.js';

const FOR_EVER = new ReadRequest().signal;

/** An operation that requested a slot: it has one, waits for one, or was rejected. */
interface Tried {
  state: 'waiting' | 'inside' | 'turned away';
  leave: () => void;
}

describe('the admission of expensive operations', () => {
  let clock: ManualClock;
  let admission: Admission;

  beforeEach(() => {
    clock = new ManualClock();
    admission = new Admission({ clock });
  });

  const tryIt = (client: string, gone = FOR_EVER, cost = 200_000): Tried => {
    const tried: Tried = { state: 'waiting', leave: () => undefined };
    admission.enter({ client, cost }, gone).then(
      (leave) => Object.assign(tried, { state: 'inside', leave }),
      () => Object.assign(tried, { state: 'turned away' }),
    );
    return tried;
  };
  const tryMany = (client: string, count: number): Tried[] =>
    Array.from({ length: count }, () => tryIt(client));
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const statesOf = async (tried: readonly Tried[]): Promise<string[]> => {
    await settle();
    return tried.map(({ state }) => state);
  };

  it('lets two in, and the next in their order as slots become free', async () => {
    const all = tryMany('a', 4);
    expect(await statesOf(all)).toEqual(['inside', 'inside', 'waiting', 'waiting']);
    all[1]?.leave();
    all[1]?.leave();
    expect(await statesOf(all)).toEqual(['inside', 'inside', 'inside', 'waiting']);
  });

  it('gives a slot to the client that has the fewest', async () => {
    const [first, second, third] = tryMany('a', 3);
    const other = tryIt('b');
    await settle();
    first?.leave();
    expect(await statesOf([second!, third!, other])).toEqual(['inside', 'waiting', 'inside']);
    second?.leave();
    expect(await statesOf([third!])).toEqual(['inside']);
  });

  it('admits together what costs no more than one may, and lets no operation overtake', async () => {
    const large = tryIt('a', FOR_EVER, 1_900_000);
    const next = tryIt('a', FOR_EVER, 1_000_000);
    const [small, last] = tryMany('a', 2);
    const all = [large, next, small!, last!];
    expect(await statesOf(all)).toEqual(['inside', 'waiting', 'waiting', 'waiting']);
    large.leave();
    expect(await statesOf(all)).toEqual(['inside', 'inside', 'inside', 'waiting']);
  });

  it('refuses a request that has waited for ten seconds, and says when to come back', async () => {
    tryMany('a', 2);
    const refused = admission
      .enter({ client: 'b', cost: 200_000 }, FOR_EVER)
      .catch((error: unknown) => error);
    await clock.advance(9_999);
    const later = tryIt('c');
    await clock.advance(1);
    expect(await refused).toMatchObject({ code: 'RATE_LIMITED', extensions: { retryAfter: 5 } });
    expect(await statesOf([later])).toEqual(['waiting']);
  });

  it('has a short queue that no client can fill alone', async () => {
    const ofA = tryMany('a', 2 + 16);
    expect(await statesOf(tryMany('a', 1))).toEqual(['turned away']);
    const ofB = tryMany('b', 10);
    await settle();
    const countWaiting = (tried: readonly Tried[]): number =>
      tried.filter(({ state }) => state === 'waiting').length;
    expect([countWaiting(ofA), countWaiting(ofB)]).toEqual([8, 8]);
    // A client's newest operations are rejected first.
    expect(ofA.slice(0, 10).map(({ state }) => state)).not.toContain('turned away');
  });

  it('keeps no slot for a client that has left', async () => {
    const [first] = tryMany('a', 2);
    const gone = new ReadRequest();
    const left = tryIt('b', gone.signal);
    const next = tryIt('c');
    await settle();
    gone.end();
    first?.leave();
    expect(await statesOf([left, next])).toEqual(['turned away', 'inside']);
    expect(await statesOf([tryIt('d', gone.signal)])).toEqual(['turned away']);
  });

  it('holds a limited number of cheap ones of a client, and others next to it, until their answers were read', () => {
    const holdAll = (client: string, cost: number): (() => void)[] => {
      const held: (() => void)[] = [];
      try {
        for (;;) held.push(admission.hold({ client, cost }));
      } catch (error) {
        expect(error).toMatchObject({ code: 'RATE_LIMITED' });
      }
      return held;
    };
    const ofA = holdAll('a', 100_000);
    expect(ofA).toHaveLength(30);
    expect(holdAll('b', 100_000)).toHaveLength(30);
    expect(holdAll('c', 100_000)).toHaveLength(0);
    expect(holdAll('c', 5_000)).toHaveLength(600);
    ofA[0]?.();
    ofA[0]?.();
    expect(holdAll('a', 100_000)).toHaveLength(0);
    for (const leave of ofA) leave();
    expect(holdAll('a', 100_000)).toHaveLength(0);
    expect(holdAll('a', 5_000)).toHaveLength(600);
  });
});

describe('the text of an answer', () => {
  /** Makes rows of a thousand characters, and counts how many were printed. */
  const rowsOf = (count: number): { rows: object[]; printed: () => number } => {
    let printed = 0;
    const row = (): object => ({
      toJSON: () => {
        printed += 1;
        return 'ä'.repeat(1_000);
      },
    });
    return { rows: Array.from({ length: count }, row), printed: () => printed };
  };

  it('is one text when it is short', () => {
    expect(toAnswerText({ data: { list: [1, null] } })).toBe('{"data":{"list":[1,null]}}');
  });

  it('comes in pieces that add up to the whole when it is long', async () => {
    const payload = { data: { list: rowsOf(1_000).rows }, extensions: { cost: 1 } };
    const answer = toAnswerText(payload);
    expect(answer).toBeInstanceOf(Readable);
    expect(await text(answer as Readable)).toBe(JSON.stringify(payload));
  });

  it('is printed no further when its client has left', async () => {
    const { rows, printed } = rowsOf(1_000);
    const answer = toAnswerText({ data: { list: rows } }) as Readable;
    await once(answer, 'data');
    answer.destroy();
    await once(answer, 'close');
    const atTheEnd = printed();
    expect(atTheEnd).toBeLessThan(400);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(printed()).toBe(atTheEnd);
  });
});
