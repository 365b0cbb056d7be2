import type { DataSource } from 'typeorm';
import type { SubmissionKind, SubmissionStatus } from '../../../src/domain/submissions/submission-codes.js';
import {
  blockFigures,
  blocksOnce,
  endFigures,
  loadTrueBlocks,
  toTrueLine,
  type TrueBlock,
  type TrueLine,
} from './truth-blocks.js';
import { TrueCosts } from './truth-cost.js';
import {
  costFigures,
  submissionFigures,
  withoutCounts,
  withoutFeesOfNone,
  type Figures,
} from './truth-figures.js';
import { countOnce, loadTrueRows, type TrueRow } from './truth-rows.js';
import { coveredShare, loadWatchedNodes, lossFigures, type WatchedNode } from './truth-watch.js';
import { TruthZone, type TruthBucket } from './truth-zone.js';
import type { GeneratedYear } from './year-log.js';

export type TruthGroup = 'NODE' | 'CHAIN' | 'NAMESPACE' | 'KIND' | 'STATUS';

/** A query to both the statistics and the truth. Times are Unix microseconds, of whole quarter hours. */
export interface Question {
  readonly filter: {
    readonly nodes?: readonly string[];
    readonly chains?: readonly string[];
    readonly namespaces?: readonly string[];
    readonly kinds?: readonly SubmissionKind[];
    readonly statuses?: readonly SubmissionStatus[];
  };
  readonly bucket: TruthBucket;
  readonly groupBy: readonly TruthGroup[];
  readonly fromUs: bigint;
  readonly toUs: bigint;
  /** The zone of the buckets. */
  readonly zone: string;
}

export type TruthKind = 'statistics' | 'cost';

/** Figures by {@link nameOf} of their bucket and group. */
export type Answer = ReadonlyMap<string, Figures>;

const QUARTER_US = 900_000_000n;

const NO_NAMES = { namespace: null, kind: null, status: null };

const zones = new Map<string, TruthZone>();

/** The progress of inclusion reads all blocks for each bucket, which is too slow for all hours of a year. */
const MOST_ENDS = 1_000;

/** A slow, simple program: it computes every figure from the plain rows, one bucket at a time. */
export class Truth {
  private readonly lines = new Map<string, TrueLine>();

  private constructor(
    private readonly rows: readonly TrueRow[],
    private readonly once: readonly TrueRow[],
    private readonly blocks: readonly TrueBlock[],
    private readonly nodes: readonly WatchedNode[],
    private readonly costs: TrueCosts,
  ) {}

  /** Loads the present record. */
  static async load(dataSource: DataSource, year: GeneratedYear, costs: TrueCosts): Promise<Truth> {
    const rows = await loadTrueRows(dataSource, year);
    const chains = [...new Set(rows.map(({ chain }) => chain))].filter((chain) => chain !== '');
    const ofChains = chains.flatMap((chain) => countOnce(rows.filter((row) => row.chain === chain)));
    const once = [...ofChains, ...rows.filter(({ chain }) => chain === '')];
    const nodes = await loadWatchedNodes(dataSource, year);
    const byTime = (a: TrueRow, b: TrueRow): number =>
      a.timeUs < b.timeUs ? -1 : a.timeUs > b.timeUs ? 1 : 0;
    return new Truth(rows.sort(byTime), once.sort(byTime), await loadTrueBlocks(dataSource), nodes, costs);
  }

  /** Rows of the record, for tests. */
  get submissions(): readonly TrueRow[] {
    return this.rows;
  }

  answer(question: Question, kind: TruthKind): Answer {
    const answer = new Map<string, Figures>();
    const isOfSubmissions = isAboutSubmissions(question);
    const figuresOf = kind === 'cost' ? costFigures : submissionFigures;
    const ofNothing = figuresOf([], this.costs);
    const isToldApart = question.groupBy.some((each) => each !== 'NODE' && each !== 'CHAIN');
    const buckets = bucketsOf(question);
    for (const { startUs, endUs } of buckets) {
      const fromUs = startUs > question.fromUs ? startUs : question.fromUs;
      const toUs = endUs < question.toUs ? endUs : question.toUs;
      const groups = this.groupsOf(question, fromUs, toUs);
      for (const [group, rows] of groups) {
        const withBlocks =
          kind === 'cost' || isOfSubmissions ? 'NONE' : buckets.length > MOST_ENDS ? 'SUMS' : 'ALL';
        const watched = this.watchedFigures(question, group, { fromUs, toUs }, withBlocks);
        const figures = rows.length === 0 ? ofNothing : figuresOf(rows, this.costs);
        const isUnknown = rows.length === 0 && watched['coverage'] === 0;
        const told = isUnknown
          ? withoutCounts(figures)
          : isToldApart && kind === 'cost'
            ? withoutFeesOfNone(figures)
            : figures;
        answer.set(`${startUs} ${group}`, { ...told, ...watched });
      }
    }
    return answer;
  }

  /** Rows of a time by group; groups of nodes and chains exist even without rows. */
  private groupsOf(question: Question, fromUs: bigint, toUs: bigint): Map<string, TrueRow[]> {
    const { filter, groupBy } = question;
    const groups = new Map<string, TrueRow[]>();
    for (const name of this.standingGroups(question)) groups.set(name, []);
    for (const row of this.subjectRows(question, fromUs, toUs)) {
      if (!isWanted(filter.chains, row.chain) || !isWanted(filter.kinds, row.kind)) continue;
      if (!isWanted(filter.statuses, row.status) || !isWanted(filter.namespaces, row.namespace ?? ''))
        continue;
      const name = groupOf(groupBy, { ...row, node: this.idOf(row.nodeKey) });
      const list = groups.get(name);
      if (list) list.push(row);
      else groups.set(name, [row]);
    }
    return groups;
  }

  /** The rows that nodes showed, or each submission of a chain once. */
  private subjectRows({ filter, groupBy }: Question, fromUs: bigint, toUs: bigint): readonly TrueRow[] {
    const isPerNode = filter.nodes !== undefined || groupBy.includes('NODE');
    const rows = within(isPerNode ? this.rows : this.once, fromUs, toUs, ({ timeUs }) => timeUs);
    if (!isPerNode) return rows;
    return rows.filter(({ nodeKey }) => nodeKey !== null && isWanted(filter.nodes, this.idOf(nodeKey)));
  }

  /** Groups that are reported even when empty; a chain without a name has no group. */
  private standingGroups({ filter, groupBy }: Question): string[] {
    if (groupBy.length === 0) return [''];
    if (groupBy.some((each) => each !== 'NODE' && each !== 'CHAIN')) return [];
    const nodes = this.nodes.filter(
      ({ id, chain }) => isWanted(filter.nodes, id) && isWanted(filter.chains, chain),
    );
    const named = nodes.filter(({ chain }) => !groupBy.includes('CHAIN') || chain !== '');
    return named.map(({ id, chain }) => groupOf(groupBy, { ...NO_NAMES, node: id, chain }));
  }

  private watchedFigures(
    question: Question,
    group: string,
    { fromUs, toUs }: { fromUs: bigint; toUs: bigint },
    withBlocks: 'NONE' | 'SUMS' | 'ALL',
  ): Figures {
    const { filter, groupBy } = question;
    const watchedBy = groupBy.filter((each) => each === 'NODE' || each === 'CHAIN');
    const wanted = watchedBy.map((each) => group.split(' ')[groupBy.indexOf(each)]).join(' ');
    const nodes = this.nodes
      .filter(({ id, chain }) => isWanted(filter.nodes, id) && isWanted(filter.chains, chain))
      .filter(({ id, chain }) => groupOf(watchedBy, { ...NO_NAMES, node: id, chain }) === wanted);
    const isPerNode = filter.nodes !== undefined || groupBy.includes('NODE');
    const units = new Map<string, WatchedNode[]>();
    for (const node of nodes) {
      const unit = isPerNode || node.chain === '' ? node.id : `chain ${node.chain}`;
      units.set(unit, [...(units.get(unit) ?? []), node]);
    }
    const coverage = this.coverageOf([...units.values()], { fromUs, toUs });
    const [unit] = [...units.values()];
    if (withBlocks === 'NONE' || units.size !== 1 || !unit) return { coverage };
    const line = this.lineOf(unit, isPerNode);
    const made = within(line.blocks, fromUs, toUs, ({ timeNs }) => timeNs / 1000n);
    return {
      coverage,
      ...lossFigures(unit, fromUs, toUs),
      ...blockFigures(made),
      ...(withBlocks === 'ALL' && endFigures(line, toUs)),
    };
  }

  /** The covered share of the time in which the chains existed. */
  private coverageOf(
    units: readonly (readonly WatchedNode[])[],
    { fromUs, toUs }: { fromUs: bigint; toUs: bigint },
  ): number {
    let [covered, length] = [0, 0];
    for (const unit of units) {
      const beginUs = this.beginOf(unit[0]?.chain ?? '') ?? fromUs;
      const startUs = beginUs > fromUs ? beginUs : fromUs;
      if (startUs >= toUs) continue;
      length += Number(toUs - startUs);
      covered += coveredShare(unit, startUs, toUs) * Number(toUs - startUs);
    }
    return length === 0 ? 0 : covered / length;
  }

  /** The time of the first block, unless an earlier fact is known. */
  private beginOf(chain: string): bigint | undefined {
    const firsts = this.blocks.filter(
      (block) => block.chain === chain && block.n === 1 && block.height === 1n,
    );
    if (firsts.length === 0) return undefined;
    const least = (times: readonly bigint[]): bigint => times.reduce((a, b) => (b < a ? b : a));
    const first = least(firsts.map(({ timeNs }) => timeNs / 1000n));
    const contacts = this.nodes
      .filter((node) => node.chain === chain)
      .flatMap(({ firstUs }) => firstUs ?? []);
    const quarters = this.once
      .filter((row) => row.chain === chain)
      .map(({ timeUs }) => timeUs - (timeUs % QUARTER_US));
    return least([first, ...contacts, ...quarters.filter((us) => us + QUARTER_US <= first)]);
  }

  /** Blocks and submissions of one node, or of the nodes of one chain together. */
  private lineOf(unit: readonly WatchedNode[], isPerNode: boolean): TrueLine {
    const [node] = unit;
    const name = isPerNode ? `node ${node?.id}` : `chain ${node?.chain}`;
    const known = this.lines.get(name);
    if (known || !node) return known ?? toTrueLine([], []);
    const all = this.blocks.filter(({ chain }) => chain === node.chain);
    const blocks = isPerNode ? all.filter(({ nodeKey }) => nodeKey === node.nodeKey) : blocksOnce(all);
    const rows = (isPerNode ? this.rows : this.once).filter(
      ({ chain, nodeKey }) => chain === node.chain && (!isPerNode || nodeKey === node.nodeKey),
    );
    const line = toTrueLine(
      blocks.sort((a, b) => (a.timeNs < b.timeNs ? -1 : 1)),
      rows,
    );
    this.lines.set(name, line);
    return line;
  }

  private idOf(nodeKey: number | null): string {
    return this.nodes.find((node) => node.nodeKey === nodeKey)?.id ?? '';
  }
}

/** The name of a bucket and group in an answer. */
export function nameOf(timeUs: bigint, groupBy: readonly TruthGroup[], group: GroupNames): string {
  return `${timeUs} ${groupOf(groupBy, group)}`;
}

export interface GroupNames {
  readonly node: string | null;
  readonly chain: string | null;
  readonly namespace: string | null;
  readonly kind: string | null;
  readonly status: string | null;
}

function groupOf(groupBy: readonly TruthGroup[], group: GroupNames): string {
  const names = {
    NODE: group.node,
    CHAIN: group.chain,
    NAMESPACE: group.namespace,
    KIND: group.kind,
    STATUS: group.status,
  };
  return groupBy.map((each) => names[each] || '-').join(' ');
}

/** The values of a time, from values in chronological order. */
function within<T>(
  sorted: readonly T[],
  fromUs: bigint,
  toUs: bigint,
  timeOf: (each: T) => bigint,
): readonly T[] {
  const before = (us: bigint): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const each = sorted[middle];
      if (each !== undefined && timeOf(each) < us) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return sorted.slice(before(fromUs), before(toUs));
}

function bucketsOf({ zone, fromUs, toUs, bucket }: Question): { startUs: bigint; endUs: bigint }[] {
  const clock = zones.get(zone) ?? new TruthZone(zone);
  zones.set(zone, clock);
  return clock.bucketsOf(fromUs, toUs, bucket);
}

function isAboutSubmissions({ filter, groupBy }: Question): boolean {
  const isGrouped = groupBy.some((each) => each !== 'NODE' && each !== 'CHAIN');
  return isGrouped || [filter.namespaces, filter.kinds, filter.statuses].some((list) => list !== undefined);
}

function isWanted<T>(wanted: readonly T[] | undefined, value: T): boolean {
  return wanted === undefined || wanted.includes(value);
}
