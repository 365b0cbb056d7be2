import type { Polls, NewEvent } from '../../src/domain/events.js';
import type { EventStore } from '../../src/event-log/event-store.js';
import { namespacesOf } from './submission-texts.js';

/** Polls as an event records them. */
export function looksAt(at: number): Polls {
  return {
    first: at - 900,
    last: at,
    count: 2,
    longestGapMs: 1_000,
    nodeClockBefore: at - 1_000,
    nodeClock: at,
  };
}

/** Appends to streams of one log, each at its end. */
export class LogWriter {
  private readonly versions = new Map<string, bigint>();

  constructor(private readonly store: EventStore) {}

  async append(stream: string, events: readonly NewEvent[], state?: unknown): Promise<void> {
    const expectedVersion = this.versions.get(stream) ?? 0n;
    const result = await this.store.append({ stream, expectedVersion, events, state });
    if (!result.won) throw new Error(`${stream} is not at version ${expectedVersion}`);
    this.versions.set(stream, result.version);
  }

  /** Records the first events of a node, as an observer does. `number` determines its namespaces. */
  async introduce(node: string, number: number, chain: string, at: number): Promise<void> {
    const namespaces = namespacesOf(number);
    await this.append(`${node}/node`, [
      { type: 'NodeRegistered', observedAt: at, body: { url: `http://${node}:7331` } },
      {
        type: 'NodeDescribed',
        observedAt: at,
        body: {
          chain,
          servicePrefix: 'evnode.v1',
          shape: 'EV_NODE',
          aggregator: true,
          headerNamespace: namespaces.header,
          dataNamespace: namespaces.data,
        },
      },
    ]);
    const opening = { n: 1, node, height: '1', hash: null };
    await this.append(`${chain}/chain`, [{ type: 'ChainLineageOpened', observedAt: at, body: opening }]);
    const body = { state: 'AVAILABLE', detail: 'the list is there' } as const;
    await this.append(`${node}/submissions`, [{ type: 'SubmissionSourceChanged', observedAt: at, body }]);
  }
}

/** An event of rows that entered a ring. */
export function rowsObserved(rows: readonly string[], firstSequence: number, at: number): NewEvent {
  return {
    type: 'SubmissionsObserved',
    observedAt: at,
    body: {
      looks: looksAt(at),
      overlap: 100 - rows.length,
      anchored: true,
      source: 0,
      ring: 0,
      newestFirst: true,
      ringSize: 100,
      firstSequence,
      rows,
    },
  };
}
