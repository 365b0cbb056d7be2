import { Inject, Injectable } from '@nestjs/common';
import type { Micros } from '../../domain/time.js';
import { millisToMicros } from '../../domain/time.js';
import { nextTimeSlice } from '../../platform/time-slices.js';
import {
  NodeTotalsReader,
  type CountedNode,
  type NodeTotals,
} from '../../statistics/read/node-totals.reader.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

/** Older days rarely change and are read again only once an hour. */
const RECENT_US: Micros = 2n * 86_400_000_000n;
const OLD_FOR_MS = 3_600_000;

/** Nodes whose old days are read by one statement. */
const NODES_AT_ONCE = 50;

/** Totals of the time before a moment. */
interface OldTotals {
  readonly beforeUs: Micros;
  /** Milliseconds of the monotonic clock. */
  readonly readAt: number;
  /** The nodes that the totals include. */
  readonly nodeKeys: ReadonlySet<number>;
  readonly totals: readonly NodeTotals[];
}

/**
 * Sums up all that nodes have shown. It reads the last two days each time, and the days before them once an hour, so a request
 * does not cost more after years.
 */
@Injectable()
export class NodeTotalsBook {
  private old: OldTotals | undefined;
  private reading: Promise<OldTotals> | undefined;

  constructor(
    private readonly reader: NodeTotalsReader,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /** Parts to be summed. Nodes that are new since the old days were read are read as a whole. */
  async getTotals(nodes: readonly CountedNode[]): Promise<readonly NodeTotals[]> {
    const { clock } = this.options;
    if (this.old === undefined || clock.monotonic() - this.old.readAt >= OLD_FOR_MS) {
      this.reading ??= this.readOld(nodes).finally(() => (this.reading = undefined));
    }
    // Waits only the first time, when there is nothing to answer with.
    const old = this.old ?? (await this.reading);
    this.reading?.catch(() => undefined);
    if (old === undefined) return [];
    const isNew = ({ nodeKey }: CountedNode): boolean => !old.nodeKeys.has(nodeKey);
    const known = nodes.filter((node) => !isNew(node));
    const recent = await this.reader.getTotals(known, { fromUs: old.beforeUs });
    const wholes = nodes.some(isNew)
      ? [await this.reader.getTotals(nodes.filter(isNew), { fromUs: 0n })]
      : [];
    return [...old.totals, recent, ...wholes];
  }

  private async readOld(nodes: readonly CountedNode[]): Promise<OldTotals> {
    const { clock } = this.options;
    const beforeUs = millisToMicros(clock.now()) - RECENT_US;
    const totals: NodeTotals[] = [];
    for (let first = 0; first < nodes.length; first += NODES_AT_ONCE) {
      totals.push(await this.reader.getTotals(nodes.slice(first, first + NODES_AT_ONCE), { beforeUs }));
      await nextTimeSlice();
    }
    const nodeKeys = new Set(nodes.map(({ nodeKey }) => nodeKey));
    this.old = { beforeUs, readAt: clock.monotonic(), nodeKeys, totals };
    return this.old;
  }
}
