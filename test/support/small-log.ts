import { packBlocks } from '../../src/domain/blocks/pack-blocks.js';
import type { ServiceClaim } from '../../src/domain/claims.js';
import type { Polls, NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { makeBlock } from './random-log.js';
import { appendTo, DATA_NAMESPACE, HEADER_NAMESPACE } from './record-log.js';

/** The relevant fields of a row of a node's list. */
export interface SmallRow {
  readonly da?: number;
  readonly status?: string;
  readonly blobs?: number;
  readonly bytes?: number;
  readonly kind?: 'header' | 'data' | 'none';
  /** Milliseconds since the log began. */
  readonly at?: number;
}

/** The relevant fields of a block. */
export interface SmallBlock {
  readonly height: number;
  readonly headerDa?: number;
  readonly dataDa?: number;
  readonly dataBytes?: number;
  readonly at?: number;
}

/** A log that a test writes event by event. */
export class SmallLog {
  static readonly START = Date.UTC(2026, 10, 21);
  readonly events: RecordedEvent[] = [];
  /** Milliseconds since it began, by the observer's clock. */
  now = 0;
  private readonly sequences = new Map<string, number>();
  /** The last poll of each node's list, Unix milliseconds. */
  private readonly lookedAt = new Map<string, number>();

  register(node: string, chain?: string, url = `http://${node}`): this {
    const body = { url, ...(chain && { chain }) };
    return this.append(`${node}/node`, { type: 'NodeRegistered', body });
  }

  /** @param list of its process; left out: as by older observers, which do not record it */
  describe(node: string, chain: string | null, list?: number | null): this {
    const at = SmallLog.START + this.now;
    const seen = list === undefined ? {} : { seen: list === null ? null : { list, since: at, last: at } };
    const namespaces = { headerNamespace: HEADER_NAMESPACE, dataNamespace: DATA_NAMESPACE };
    const body = { chain, servicePrefix: null, shape: null, aggregator: true, ...namespaces, ...seen };
    return this.append(`${node}/node`, { type: 'NodeDescribed', body });
  }

  retire(node: string): this {
    return this.append(`${node}/node`, { type: 'NodeRetired', body: {} });
  }

  watch(node: string): this {
    const at = SmallLog.START + this.now;
    const lists = [{ list: 0, since: this.lookedAt.get(node) ?? at, last: at }];
    this.lookedAt.set(node, at);
    const body = { looks: { submissions: { ...this.looks(true), lists }, blocks: this.looks(true) } };
    return this.append(`${node}/node`, { type: 'NodeWatched', body });
  }

  /** @param hasDate whether the answer had the node's clock; without it the times of its rows are implausible */
  rows(node: string, rows: readonly (SmallRow | string)[], hasDate = true, source = 0): this {
    const sequence = this.sequences.get(node) ?? 0;
    this.sequences.set(node, sequence + rows.length);
    this.lookedAt.set(node, SmallLog.START + this.now);
    const texts = rows.map((row) => (typeof row === 'string' ? row : this.rowText(row)));
    const ring = { overlap: 1, anchored: true, source, ring: 0, newestFirst: true, ringSize: 100 };
    return this.append(`${node}/submissions`, {
      type: 'SubmissionsObserved',
      body: { looks: this.looks(hasDate), ...ring, firstSequence: sequence + 1, rows: texts },
    });
  }

  lose(
    node: string,
    type: 'SubmissionHistoryMissing' | 'SubmissionWindowLost' | 'SubmissionRingReset',
    source = 0,
  ): this {
    const after = this.sequences.get(node) ?? 0;
    const fact = { source, after, from: null, to: SmallLog.START + this.now, minLost: 0, maxLost: null };
    return this.append(`${node}/submissions`, {
      type,
      body: { looks: this.looks(true), ...fact, likelyLost: null, ring: 0 },
    });
  }

  blocks(node: string, chain: string, blocks: readonly SmallBlock[], lineage = 1): this {
    const records = blocks.map(({ height, headerDa, dataDa, dataBytes = 0, at = this.now }) => ({
      ...makeBlock({ height: BigInt(height), timeMs: SmallLog.START + at, dataBytes }),
      headerDaHeight: toHeight(headerDa),
      dataDaHeight: toHeight(dataDa ?? (dataBytes === 0 ? headerDa : undefined)),
    }));
    const body = { chain, lineage, ...packBlocks(records) };
    return this.append(`${node}/blocks`, { type: 'BlocksObserved', body });
  }

  unreadable(node: string, chain: string, height: number): this {
    const body = { chain, lineage: 1, height: String(height), detail: '' };
    return this.append(`${node}/blocks`, { type: 'BlockUnreadable', body });
  }

  list(node: string, state: 'AVAILABLE' | 'NOT_AGGREGATOR' | 'UNREACHABLE'): this {
    return this.append(`${node}/submissions`, {
      type: 'SubmissionSourceChanged',
      body: { state, detail: '' },
    });
  }

  include(node: string, chain: string, blocks: readonly SmallBlock[]): this {
    const heights = blocks.map(
      ({ height, headerDa, dataDa }) =>
        [String(height), headerDa?.toString() ?? null, dataDa?.toString() ?? null] as const,
    );
    return this.append(`${node}/blocks`, {
      type: 'BlockInclusionObserved',
      body: { chain, lineage: 1, heights },
    });
  }

  /** The node's report of the height up to which everything is included. */
  progress(node: string, daIncluded: number | string): this {
    const unsaid = { head: null, headTimeNs: null, lastSubmittedHeader: null, lastSubmittedData: null };
    const rest = { headerStoreHead: null, oldest: null, firstPending: null, clockOffsetMs: null };
    const body = { ...unsaid, ...rest, daIncluded: String(daIncluded) };
    return this.append(`${node}/blocks`, { type: 'NodeProgressObserved', body });
  }

  claim(node: string, kind: ServiceClaim, body: object): this {
    return this.append(`${node}/claims`, { type: 'ServiceClaimed', body: { kind, body } });
  }

  rowText({ da = 0, status = 'Success', blobs = 1, bytes = 331, kind = 'header', at }: SmallRow): string {
    const namespace = { header: HEADER_NAMESPACE, data: DATA_NAMESPACE, none: '' }[kind];
    return JSON.stringify({
      height: da,
      blob_size: bytes,
      timestamp: new Date(SmallLog.START + (at ?? this.now)).toISOString(),
      status_code: status,
      num_blobs: blobs,
      namespace,
    });
  }

  private looks(hasDate: boolean): Polls {
    const at = SmallLog.START + this.now;
    return { first: at, last: at, count: 1, longestGapMs: 0, ...(hasDate && { nodeClock: at }) };
  }

  private append(stream: string, event: Pick<NewEvent, 'type' | 'body'>): this {
    appendTo(this.events, stream, [{ ...event, observedAt: SmallLog.START + this.now } as NewEvent]);
    return this;
  }
}

function toHeight(da: number | undefined): bigint | null {
  return da === undefined ? null : BigInt(da);
}
