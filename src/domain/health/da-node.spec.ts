import type { EventBodies, NewEvent, Polls, RecordedEvent } from '../events.js';
import { findPresentTrouble } from './present-trouble.js';
import { foldHistory } from '../../../test/support/health-history.js';

const START_MS = Date.UTC(2026, 10, 28, 12);
const ACCOUNT = 'celestia12pzme7wgmk2cn74y9ex36cgzm7lm2rfl5z3y2j';

/** Events of a DA node that is polled every 20 s, with DA blocks 6 s apart. Times in seconds. */
class DaNodeStory {
  private readonly events: RecordedEvent[] = [];
  private polledAt: number | undefined;

  changed(
    at: number,
    outcome: EventBodies['DaNodeChanged']['outcome'],
    token: EventBodies['DaNodeChanged']['token'] = null,
  ): this {
    return this.add(at, 'DaNodeChanged', {
      looks: this.poll(at),
      outcome,
      statusCode: null,
      detail: 'refused: no connection',
      token,
    });
  }

  head(at: number, height: number, timeAt = at, consensus?: number): this {
    const timeNs = String(BigInt(START_MS + timeAt * 1000) * 1_000_000n);
    return this.add(at, 'DaHeadObserved', {
      looks: this.poll(at),
      chain: 'celestia',
      height: String(height),
      timeNs,
      syncTo: null,
      sampling: null,
      ...(consensus !== undefined && { consensus: { height: String(consensus), timeNs } }),
    });
  }

  /** Polls every 20 s that find nothing new, recorded at `to`. */
  quiet(from: number, to: number): this {
    const looks: Polls = { first: ms(from), last: ms(to), count: 1 + (to - from) / 20, longestGapMs: 20_000 };
    this.polledAt = to;
    return this.add(to, 'NodeWatched', { looks: { daNode: looks } });
  }

  balance(at: number, amount: number | null, detail = '', account = ACCOUNT): this {
    return this.add(at, 'BalanceObserved', {
      account,
      amount: amount === null ? null : String(amount),
      height: null,
      detail,
    });
  }

  /** A submission that landed at a DA height. */
  posted(at: number, height: number): this {
    const looks: Polls = { first: ms(at), last: ms(at), count: 1, longestGapMs: 0 };
    const rows = [JSON.stringify({ status_code: 'Success', height })];
    return this.add(at, 'SubmissionsObserved', { looks, rows } as never);
  }

  settings(at: number, systems: readonly ('daNode' | 'execution')[]): this {
    return this.add(at, 'NodeSettingsChanged', { url: 'http://alpha', systems });
  }

  line(): string[] {
    const story = foldHistory(this.events).intervals.DA_NODE;
    return story.map(({ from, state, rule }) => `${(from - START_MS) / 1000} ${state} ${rule}`);
  }

  reasons(): string[] {
    return foldHistory(this.events).intervals.DA_NODE.map(({ reason }) => reason);
  }

  reason(): string {
    return this.reasons().at(-1) ?? '';
  }

  /** The ongoing trouble, in current words. */
  present(): string {
    const { fold } = foldHistory(this.events);
    return findPresentTrouble('DA_NODE', fold, null, ms(this.polledAt ?? 0))?.reason ?? '';
  }

  private poll(at: number): Polls {
    const gap = this.polledAt === undefined ? 0 : (at - this.polledAt) * 1000;
    this.polledAt = at;
    return { first: ms(at), last: ms(at), count: 1, longestGapMs: gap };
  }

  private add<T extends NewEvent['type']>(at: number, type: T, body: EventBodies[T]): this {
    const time = BigInt(ms(at)) * 1000n;
    const position = BigInt(this.events.length + 1);
    const stream = type === 'NodeWatched' ? 'alpha/node' : 'alpha/daNode';
    this.events.push({
      position,
      stream,
      version: position,
      schema: 1,
      type,
      observedAt: time,
      recordedAt: time,
      body,
    } as RecordedEvent);
    return this;
  }
}

const ms = (seconds: number): number => START_MS + seconds * 1000;

/** A DA node in step from 0 to 100 s. */
const inStep = (): DaNodeStory => {
  const story = new DaNodeStory().changed(0, 'OK');
  for (let at = 0; at <= 100; at += 20) story.head(at, 100 + at / 4);
  return story;
};

describe('the line of a DA node', () => {
  it('begins with its first poll, and is healthy while its head moves', () => {
    expect(inStep().line()).toEqual(['0 HEALTHY healthy']);
  });

  it('does not exist for a node whose settings name none', () => {
    expect(new DaNodeStory().line()).toEqual([]);
  });

  it('is unreachable from the first of two failed polls, and not after one', () => {
    expect(inStep().changed(120, 'UNREACHABLE').line()).toEqual(['0 HEALTHY healthy']);
    expect(inStep().changed(120, 'UNREACHABLE').quiet(125, 125).line()).toEqual([
      '0 HEALTHY healthy',
      '120 CRITICAL da-node-unreachable',
    ]);
  });

  it('is unknown while it was never reached', () => {
    expect(new DaNodeStory().changed(0, 'UNREACHABLE').line()).toEqual(['0 UNKNOWN not-reached']);
  });

  it('is behind once its head is older than five DA blocks and 30 s, by polls that saw the same head', () => {
    expect(inStep().quiet(120, 120).line()).toEqual(['0 HEALTHY healthy']);
    const halted = inStep().quiet(120, 140);
    expect(halted.line()).toEqual(['0 HEALTHY healthy', '130 CRITICAL da-node-behind']);
    expect(halted.reason()).toContain('The DA chain is halted, or this DA node is cut off from it.');
  });

  it('is cut off, and the DA chain is not halted, where a submission landed above its head', () => {
    const posted = (height: number) =>
      inStep()
        .posted(110, height)
        .posted(118, height + 2)
        .quiet(120, 140);
    expect(posted(123).reason()).toContain('The DA chain is halted, or');
    expect(posted(126).reason()).toContain('cut off from the DA chain, where a submission landed at 126.');
    expect(posted(126).reason()).not.toContain('halted');
    // The chain makes blocks again, and no poll has seen the new head yet.
    const resumed = inStep().quiet(120, 140).posted(150, 126).head(160, 127);
    expect(resumed.reasons().join()).not.toContain('where a submission landed');
  });

  it('that the consensus node shows: the chain is halted, or goes on without the DA node', () => {
    const still = (consensus: number) => inStep().head(120, 125, 100, consensus);
    const told = (consensus: number) => still(consensus).quiet(121, 141).reason();
    expect(told(125)).toContain('The DA chain is halted: its consensus node has no newer block either.');
    expect(told(128)).toContain('The DA chain is ahead: its consensus node is at 128.');
    // A consensus node that is behind itself, or barely ahead, proves nothing.
    for (const consensus of [60, 124, 127])
      expect(told(consensus)).toContain('The DA chain is halted, or this DA node is cut off from it.');
    const landed = still(125).posted(110, 126).posted(118, 128).quiet(121, 141).reason();
    expect(landed).toContain('where a submission landed at 126');
    const later = inStep().head(120, 125, 100, 125).head(140, 125, 100, 125).head(160, 125, 100, 135);
    expect(later.line()).toEqual(['0 HEALTHY healthy', '130 CRITICAL da-node-behind']);
    expect(later.present()).toContain('its consensus node is at 135');
  });

  it('is healthy again with a new head', () => {
    expect(inStep().quiet(120, 140).head(160, 126).line().at(-1)).toBe('160 HEALTHY healthy');
  });

  it('with an old head is behind although the head moves: it catches up', () => {
    expect(new DaNodeStory().changed(0, 'OK').head(0, 10, -3_600).head(20, 500, -600).line().at(-1)).toBe(
      '0 CRITICAL da-node-behind',
    );
  });

  it('says that our token is refused while it is polled rarely, and not while nobody polls', () => {
    const refused = inStep().changed(120, 'REFUSED');
    expect(refused.line().at(-1)).toBe('120 WARNING da-token-refused');
    expect(refused.changed(400, 'OK').head(400, 200).line().slice(1)).toEqual([
      '120 WARNING da-token-refused',
      '400 HEALTHY healthy',
    ]);
    const stopped = inStep().changed(120, 'REFUSED').changed(1_000, 'OK').head(1_000, 400);
    expect(
      stopped
        .line()
        .slice(1)
        .map((each) => each.replace(/^\d+ /, '')),
    ).toEqual(['WARNING da-token-refused', 'UNKNOWN not-watched', 'HEALTHY healthy']);
  });

  it('ends when the settings no longer name it, and begins again with them', () => {
    const gone = inStep().balance(100, 0).settings(130, []);
    expect(gone.line().slice(-2)).toEqual(['100 CRITICAL funds-low', '130 UNKNOWN retired']);
    expect(gone.settings(200, ['daNode']).changed(210, 'OK').head(210, 150).line().at(-1)).toBe(
      '210 HEALTHY healthy',
    );
  });

  it('forgets an account that nobody reports any more', () => {
    const story = inStep().balance(100, null, 'not found');
    for (let at = 120; at <= 11_000; at += 20) story.head(at, 130 + at);
    expect(story.line().at(-1)).toBe('100 WARNING consensus-unreachable');
    expect(story.head(11_020, 20_000).balance(11_020, 5_000, '', 'celestia1other').line().at(-1)).toBe(
      '11020 HEALTHY healthy',
    );
  });

  it('is not known while it is not polled', () => {
    expect(inStep().head(300, 150).line().slice(1)).toEqual([
      '130 UNKNOWN not-watched',
      '300 HEALTHY healthy',
    ]);
  });

  it('warns before the token expires', () => {
    const token = { permissions: ['read'], expiresAt: new Date(ms(3 * 86_400 + 50)).toISOString() };
    const story = new DaNodeStory()
      .changed(0, 'OK', token)
      .head(0, 100)
      .head(20, 103)
      .head(40, 106)
      .head(60, 109);
    expect(story.line()).toEqual(['0 HEALTHY healthy']);
    expect(story.head(80, 112).line().at(-1)).toMatch(/ WARNING da-token-expires$/);
  });

  it('says when the balance cannot be read, and keeps what is known of the account', () => {
    const story = inStep().balance(101, 5_000).balance(110, null, 'rpc error: code = Unavailable');
    expect(story.line().at(-1)).toBe('110 WARNING consensus-unreachable');
    expect(story.balance(120, 5_000).line().at(-1)).toBe('120 HEALTHY healthy');
  });

  it('warns before the account is empty, and is critical soon before', () => {
    const story = inStep();
    story.balance(100, 100_000_000);
    for (let n = 1; n <= 6; n += 1)
      story.head(100 + 20 * n, 130 + n).balance(100 + 20 * n, 100_000_000 - 10_000 * n);
    expect(story.line().at(-1)).toBe('200 WARNING funds-low');
    expect(story.reason()).toMatch(/lasts 2 d .*99\.950 TIA/);
    story.head(230, 137);
    expect(story.present()).toMatch(/lasts 2 d .*99\.940 TIA/);
    for (let n = 7; n <= 12; n += 1)
      story.head(100 + 20 * n, 130 + n).balance(100 + 20 * n, 20_000_000 - 1_000_000 * n);
    expect(story.line().at(-1)).toMatch(/ CRITICAL funds-low$/);
    expect(story.head(360, 150).balance(360, 900_000_000_000).line().at(-1)).toBe('360 HEALTHY healthy');
  });
});
