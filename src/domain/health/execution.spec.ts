import type { EventBodies, NewEvent, RecordedEvent } from '../events.js';
import { foldHistory } from '../../../test/support/health-history.js';

const START_MS = Date.UTC(2026, 10, 28, 12);
type Head = EventBodies['ExecutionHeadObserved'];

/** Events of an execution layer that is polled every 10 s. Times in seconds. */
class ExecutionStory {
  private readonly events: RecordedEvent[] = [];
  private polledAt: number | undefined;

  constructor() {
    this.add(0, 'ExecutionChanged', {
      looks: this.looks(0),
      outcome: 'OK',
      statusCode: 200,
      detail: '',
      client: null,
      chainId: '1234',
    });
  }

  /** @param roots of the execution layer and of the rollup at the compared height; undefined: nothing was compared */
  head(
    at: number,
    height: number,
    rollup: number | null,
    roots?: readonly [string, string],
    first?: number,
  ): this {
    const compared: Head['compared'] = roots
      ? { height: String(height), stateRoot: roots[0], appHash: roots[1] }
      : null;
    return this.add(at, 'ExecutionHeadObserved', {
      looks: this.looks(at),
      height: String(height),
      hash: null,
      timeNs: null,
      rollupHeight: rollup === null ? null : String(rollup),
      compared,
      firstDifference: first === undefined ? null : String(first),
    });
  }

  refused(at: number): this {
    const names = { client: null, chainId: null };
    const body = {
      looks: this.looks(at),
      outcome: 'REFUSED',
      statusCode: 403,
      detail: 'invalid host',
      ...names,
    } as const;
    return this.add(at, 'ExecutionChanged', body);
  }

  /** A poll that found nothing new. */
  quiet(at: number): this {
    return this.add(at, 'NodeWatched', { looks: { execution: this.looks(at) } });
  }

  line(): string[] {
    return foldHistory(this.events).intervals.EXECUTION.map(
      ({ from, state, rule }) => `${Math.floor((from - START_MS) / 1000)} ${state} ${rule}`,
    );
  }

  reason(): string {
    return foldHistory(this.events).intervals.EXECUTION.at(-1)?.reason ?? '';
  }

  private looks(at: number): Head['looks'] {
    const gap = this.polledAt === undefined ? 0 : (at - this.polledAt) * 1000;
    this.polledAt = at;
    return { first: START_MS + at * 1000, last: START_MS + at * 1000, count: 1, longestGapMs: gap };
  }

  private add<T extends NewEvent['type']>(at: number, type: T, body: EventBodies[T]): this {
    const time = BigInt(START_MS + at * 1000) * 1000n;
    const position = BigInt(this.events.length + 1);
    const place = { position, version: position, schema: 1, observedAt: time, recordedAt: time };
    this.events.push({ ...place, stream: 'alpha/x', type, body } as RecordedEvent);
    return this;
  }
}

const inStep = (): ExecutionStory =>
  new ExecutionStory().head(0, 10, 10, ['aa', 'aa']).head(10, 20, 20, ['bb', 'bb']);

describe('the line of an execution layer', () => {
  it('is healthy while its states are those of the rollup node', () => {
    expect(inStep().line()).toEqual(['0 HEALTHY healthy']);
  });

  it('differs from the first of two differences on', () => {
    const once = inStep().head(20, 30, 30, ['cc', 'dd'], 25);
    expect(once.line()).toEqual(['0 HEALTHY healthy']);
    const twice = once.head(30, 40, 40, ['ee', 'ff'], 25);
    expect(twice.line().at(-1)).toMatch(/^20 CRITICAL execution-differs$/);
    expect(twice.reason()).toContain('first at 25');
  });

  it('differs by a poll that found the same, when nothing moves any more', () => {
    const story = inStep().head(20, 30, 30, ['cc', 'dd'], 25).quiet(30);
    expect(story.line()).toEqual(['0 HEALTHY healthy', '20 CRITICAL execution-differs']);
  });

  it('still differs while a poll compares nothing', () => {
    const story = new ExecutionStory().head(0, 9, 9, ['aa', 'aa']).head(10, 20, 20, ['bb', 'cc'], 12);
    story.head(20, 21, 21, ['dd', 'ee'], 12).head(30, 22, 22).head(40, 23, 23);
    expect(story.line().at(-1)).toMatch(/execution-differs$/);
    expect(story.reason()).toContain('first at 12: at 21, dd instead of ee');
    expect(story.head(50, 24, 24, ['ff', 'ff']).head(60, 25, 25, ['ff', 'ff']).line().at(-1)).toMatch(
      /healthy$/,
    );
  });

  it('is not comparable where both never agreed: another executor has other roots', () => {
    const story = new ExecutionStory().head(0, 10, 10, ['aa', 'bb']).head(10, 20, 20, ['cc', 'dd']);
    expect(story.line().at(-1)).toBe('0 UNKNOWN not-comparable');
  });

  it('is behind by more than two blocks, and says when it will have caught up', () => {
    const story = inStep().head(20, 20, 120, ['bb', 'bb']).head(30, 60, 120, ['cc', 'cc']);
    expect(story.line().at(-1)).toMatch(/CRITICAL execution-behind$/);
    expect(story.reason()).toBe(
      'The execution layer is 60 blocks behind, and needs about 15 s at its present rate: it is at 60, the rollup node at 120.',
    );
    expect(story.head(40, 120, 120, ['dd', 'dd']).line().at(-1)).toBe('40 HEALTHY healthy');
  });

  it('is in step up to three blocks ahead, and ahead from four on', () => {
    expect(inStep().head(20, 33, 30, ['cc', 'cc']).head(30, 43, 40, ['dd', 'dd']).line()).toEqual([
      '0 HEALTHY healthy',
    ]);
    expect(inStep().head(20, 34, 30, ['cc', 'cc']).head(30, 44, 40, ['dd', 'dd']).line().at(-1)).toMatch(
      /WARNING execution-ahead$/,
    );
  });

  it('is not healthy while it refuses Hindsight', () => {
    expect(inStep().refused(20).line().at(-1)).toBe('20 WARNING execution-refused');
  });

  it('is not judged by a node that is gone: its last state stays comparable', () => {
    expect(inStep().head(20, 50, null).head(30, 60, null).line()).toEqual(['0 HEALTHY healthy']);
  });

  it('stays behind when the node stops itself over that', () => {
    const story = inStep().head(20, 10, 90, ['aa', 'aa']).quiet(30).head(40, 10, null, ['aa', 'aa']);
    expect(story.line()).toEqual(['0 HEALTHY healthy', '20 CRITICAL execution-behind']);
    expect(story.head(50, 89, null).head(60, 90, 90, ['ff', 'ff']).line().at(-1)).toBe('50 HEALTHY healthy');
  });

  it('differs from its genesis on where the execution layer is of another chain', () => {
    const story = inStep().head(20, 30, 30, ['cc', 'dd'], 0).quiet(30);
    expect(story.reason()).toContain('than the rollup node, from its genesis on: at 30');
  });
});
