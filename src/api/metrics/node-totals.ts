import { Inject, Injectable } from '@nestjs/common';
import type { Micros } from '../../domain/time.js';
import { millisToMicros } from '../../domain/time.js';
import { nextTurn } from '../../platform/turns.js';
import {
  NodeTotalsReader,
  type CountedNode,
  type NodeTotals,
} from '../../statistics/read/node-totals.reader.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';

/** Days so long ago change seldom, and are read again only now and then. */
const RECENT_US: Micros = 2n * 86_400_000_000n;
const OLD_FOR_MS = 3_600_000;

/** Nodes whose old days are read in one statement. */
const NODES_AT_ONCE = 50;

/** What was found of the time before a moment. */
interface OldTotals {
  readonly beforeUs: Micros;
  /** By the monotonic clock. */
  readonly readAt: number;
  /** Nodes that are in it. */
  readonly nodeKeys: ReadonlySet<number>;
  readonly totals: readonly NodeTotals[];
}

/**
 * Adds up all that nodes have shown. It reads the last days each time, and the days before them once an hour. So a question costs
 * no more after years.
 */
@Injectable()
export class NodeTotalsBook {
  private old: OldTotals | undefined;
  private reading: Promise<OldTotals> | undefined;

  constructor(
    private readonly reader: NodeTotalsReader,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
  ) {}

  /** Parts that are to be added up. Nodes that are new since the old days were read are only in the recent one. */
  async getTotals(nodes: readonly CountedNode[]): Promise<readonly NodeTotals[]> {
    const { clock } = this.options;
    if (this.old === undefined || clock.monotonic() - this.old.readAt >= OLD_FOR_MS) {
      this.reading ??= this.readOld(nodes).finally(() => (this.reading = undefined));
    }
    // Only the first time there is nothing to answer with.
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
      await nextTurn();
    }
    const nodeKeys = new Set(nodes.map(({ nodeKey }) => nodeKey));
    this.old = { beforeUs, readAt: clock.monotonic(), nodeKeys, totals };
    return this.old;
  }
}
