import type { RecordedEvent } from '../../../src/domain/events.js';
import { standsOf, type BlobKind, type Stand } from './block-walk.js';
import {
  bytesOf,
  explain,
  haveBytes,
  runsOf,
  type Blob,
  type Blobs,
  type Candidate,
  type Explanation,
} from './explain-cell.js';
import type { Held, HeldGroup, HeldRow } from './held.js';
import type { Fault } from './fault.js';
import {
  readLog,
  type KnownBlocks,
  type KnownLog,
  type KnownLoss,
  type KnownNode,
  type KnownRow,
} from './known-log.js';

const KINDS: readonly BlobKind[] = ['HEADER', 'DATA'];
/** Attempts that failed for us, and may be on the DA layer all the same. An error is one where its message says so. */
const UNCERTAIN: readonly string[] = ['NOT_INCLUDED_IN_BLOCK', 'ALREADY_IN_MEMPOOL', 'CONTEXT_DEADLINE'];

/*
 * Freedoms. Where the rules leave a choice, what is held is the witness for it, and is checked for being one:
 * - which history of its chain a row is of, where it does not tell; but none may speak against another (`HISTORY`);
 * - which of several alike attempts carried which blobs: any way in which all can have come about (`explain-cell.ts`);
 * - what fits by its number alone may be confirmed or not, as sizes are a witness and no judge;
 * - a row of unknown kind that fits headers and data alike may stay undecided, or be decided by what else is known;
 * - an attempt that failed may be confirmed where its exact batch is; it need not, but then nothing stands beside it;
 * - it is left as it was seen where a success of its list may be the batch, which does not tell where it landed;
 * - a failure is no group where more was posted between it and the success next to it than its list can hold there (`isCrowded`);
 * - nothing need be reconstructed near a row that does not tell where it landed, nor while a list is out of reach;
 * - nothing is asked of DA heights of which nodes contradict each other.
 * Taken from `src/domain`: reading rows and packed blocks (`known-log.ts`), since what a cell of a row is called decides nothing.
 */

/** What is wrong with what is held of a log; nothing where all agrees. */
export function judge(log: readonly RecordedEvent[], held: Held): Fault[] {
  return new Judge(readLog(log), held).run();
}

/** A DA height of a history of a chain, with all that says it landed there. */
interface Cell {
  readonly lineage: string;
  readonly daHeight: bigint;
  readonly blobs: Blobs;
  readonly rows: readonly HeldRow[];
  readonly candidates: readonly Candidate[];
  /** Null: too many, or nodes contradict each other. */
  readonly explanations: readonly Explanation[] | null;
  readonly stands: Readonly<Record<BlobKind, ReadonlySet<Stand>>>;
}

class Judge {
  private readonly faults: Fault[] = [];
  private readonly cells = new Map<string, Cell>();
  private readonly told = new Map<string, KnownRow>();

  constructor(
    private readonly known: KnownLog,
    private readonly held: Held,
  ) {}

  run(): Fault[] {
    this.judgeRows();
    this.judgeEvidence();
    this.judgeOrder();
    this.judgeGroups();
    this.judgeLosses();
    return this.faults;
  }

  private fault(rule: Fault['rule'], text: string): void {
    this.faults.push({ rule, text });
  }

  /** Each row of the log stands there once, as it was sent. */
  private judgeRows(): void {
    for (const node of this.known.nodes.values()) {
      for (const row of node.rows) this.told.set(`${row.node} ${row.sequence}`, row);
    }
    const missing = new Set(this.told.keys());
    for (const held of this.held.rows) {
      const name = `${held.node} ${held.sequence}`;
      if (!missing.delete(name)) this.fault('ROW', `row ${name} is held, and the log has it not, or once`);
      const known = this.told.get(name);
      const node = this.known.nodes.get(held.node);
      if (known && node) this.judgeRow(held, known, node);
    }
    for (const name of missing) this.fault('ROW', `row ${name} is not held`);
  }

  private judgeRow(held: HeldRow, known: KnownRow, node: KnownNode): void {
    const { row } = known;
    const name = nameOf(held);
    if (held.status !== row.status) this.fault('ROW', `${name}: status ${held.status}, not ${row.status}`);
    if (held.blobCount !== row.blobCount || held.sizeBytes !== row.sizeBytes) {
      this.fault(
        'ROW',
        `${name}: ${held.blobCount} blobs of ${held.sizeBytes} bytes, not ${row.blobCount} of ${row.sizeBytes}`,
      );
    }
    if (held.digest !== known.digest) this.fault('ROW', `${name}: not the digest of what was sent`);
    const kinds = kindsOf(known, node, held);
    if (!kinds.has(held.kind))
      this.fault('KIND', `${name}: kind ${held.kind}, not ${[...kinds].join(' or ')}`);
    const lineages = this.lineagesOf(known, node);
    if (!lineages.has(held.lineage)) {
      this.fault('CHAIN', `${name}: of ${held.lineage}, not ${[...lineages].join(' or ')}`);
    }
    // Where an attempt landed whose row does not tell is concluded: it must be confirmed there.
    const isConcluded = row.daHeight === null || row.status !== 'SUCCESS';
    const isRight = isConcluded
      ? held.daHeight === null || held.evidence === 'CONFIRMED' || held.daHeight === row.daHeight
      : held.daHeight === row.daHeight;
    if (!isRight) this.fault('ROW', `${name}: at DA height ${held.daHeight}, not ${row.daHeight}`);
  }

  /**
   * A row is of the chain that its node named when it was recorded, by itself or by its blocks; before it named any, of the
   * first that it names; of that of its settings until then. Settings that say another one later may mean another node at
   * this address, so what that one names need not be the chain of rows from before. Which history of its chain a row is of, it
   * does not tell; without one it is where the node has shown none, or says another chain than its blocks.
   */
  private lineagesOf({ position }: KnownRow, { chains }: KnownNode): Set<string | null> {
    const before = chains.filter((naming) => naming.position <= position);
    const isTold = before.some(({ by }) => by !== 'SETTINGS');
    const isSet = before.at(-1)?.by === 'SETTINGS';
    const [first] = chains;
    const next = chains.find(({ by, chain }) => by !== 'SETTINGS' || chain !== first?.chain);
    const namings = [
      ...(isTold && !isSet ? [] : [before.findLast(({ by }) => by === 'SETTINGS')]),
      ...(before.length === 0 && next !== first && next?.by === 'SETTINGS' ? [first] : []),
      ...(['NODE', 'BLOCKS'] as const).map((by) =>
        isTold ? before.findLast((naming) => naming.by === by) : chains.find((naming) => naming.by === by),
      ),
    ].filter((naming) => naming !== undefined);
    const lineages = new Set<string | null>(
      namings.flatMap(({ chain }) => [...(this.known.lineages.get(chain) ?? [])]),
    );
    const isShown = (chain: string) =>
      chains.some((naming) => naming.by === 'BLOCKS' && naming.chain === chain);
    const isDisputed = new Set(namings.map(({ chain }) => chain)).size > 1;
    if (namings.length === 0 || isDisputed || namings.some(({ chain }) => !isShown(chain)))
      lineages.add(null);
    return lineages;
  }

  private judgeEvidence(): void {
    for (const held of this.held.rows) {
      const allowed =
        held.status === 'SUCCESS' ? this.evidencesOfSuccess(held) : this.evidencesOfFailure(held);
      if (!allowed.has(held.evidence)) {
        const isElsewhere = held.evidence === 'UNREFERENCED' && this.fitsElsewhere(held);
        const rule = isElsewhere ? 'HISTORY' : 'EVIDENCE';
        this.fault(rule, `${nameOf(held)}: evidence ${held.evidence}, not ${[...allowed].join(' or ')}`);
      }
    }
  }

  /** Failures of a node that are alike in all that is known landed in the order of its list. */
  private judgeOrder(): void {
    const landed = this.held.rows.filter(
      ({ status, evidence, daHeight }) =>
        status !== 'SUCCESS' && evidence === 'CONFIRMED' && daHeight !== null,
    );
    for (const [index, row] of landed.entries()) {
      const before = landed.slice(0, index).find((other) => isAlike(other, row) && isBelow(row, other));
      if (before)
        this.fault('FAILURE', `${nameOf(row)} landed below ${nameOf(before)}, which stands before it`);
    }
  }

  /** A failure stays as it was seen, unless blocks show exactly its batch and its outcome never came back. */
  private evidencesOfFailure(held: HeldRow): Set<string> {
    const allowed = new Set(['OBSERVED']);
    const told = this.told.get(`${held.node} ${held.sequence}`)?.row;
    const isUncertain =
      UNCERTAIN.includes(held.status) || (held.status === 'ERROR' && told?.message !== null);
    if (!isUncertain || held.daHeight === null || held.lineage === null) return allowed;
    const cell = this.cellOf(held.lineage, held.daHeight);
    const index = cell.rows.indexOf(held);
    if (!cell.explanations || cell.explanations.some(({ carried }) => carried[index]))
      allowed.add('CONFIRMED');
    return allowed;
  }

  private evidencesOfSuccess(held: HeldRow): Set<string> {
    if (held.lineage === null) return new Set(['OBSERVED', 'UNCONFIRMED']);
    if (held.daHeight === null || !held.blobCount) return new Set(['OBSERVED']);
    const cell = this.cellOf(held.lineage, held.daHeight);
    if (!cell.explanations) return new Set(['OBSERVED', 'CONFIRMED', 'UNCONFIRMED', 'UNREFERENCED']);
    const index = cell.rows.indexOf(held);
    const kinds = cell.candidates[index]?.kinds ?? KINDS;
    const isEither =
      kinds.length > 1 &&
      kinds.every(
        (kind) =>
          runsOf({ HEADER: [], DATA: [], [kind]: cell.blobs[kind] }, cell.candidates[index] as Candidate)
            .length > 0,
      );
    const allowed = new Set<string>();
    for (const explanation of cell.explanations) {
      if (explanation.carried[index]) allowed.add('CONFIRMED');
      else
        for (const evidence of this.evidencesWithoutRun(held, cell, explanation, kinds))
          allowed.add(evidence);
    }
    // A row that fits headers and data alike cannot be decided, unless something else leaves one of them to it.
    if (isEither) allowed.add('OBSERVED');
    // Paid for nothing is what no history of the chain points to: which of them was meant the row does not tell.
    if (this.fitsElsewhere(held)) allowed.delete('UNREFERENCED');
    return allowed;
  }

  /** Whether another history of the chain shows exactly this batch at this DA height, which no other row has there. */
  private fitsElsewhere(held: HeldRow): boolean {
    const { lineage, daHeight } = held;
    if (lineage === null || daHeight === null) return false;
    const others = [...(this.known.lineages.get(chainOf(lineage)) ?? [])].filter(
      (other) => other !== lineage,
    );
    return others.some((other) => {
      const { blobs, rows } = this.cellOf(other, daHeight);
      return rows.length === 0 && runsOf(blobs, candidateOf(held)).length > 0;
    });
  }

  /** Of a success that has no run of its own: it was larger than what blocks show by now, or nothing points to it. */
  private evidencesWithoutRun(
    held: HeldRow,
    cell: Cell,
    explanation: Explanation,
    kinds: readonly BlobKind[],
  ): string[] {
    if (held.kind === 'UNKNOWN') return ['OBSERVED'];
    const allowed: string[] = [];
    const stands = kinds.map((kind) => [...cell.stands[kind]]);
    const all = stands.flat();
    // Of a namespace for both, a batch is passed when it is as either, and may come while it may as one of them.
    if (all.includes('BEYOND')) allowed.push('UNCONFIRMED');
    const isAllBeyond = stands.some((each) => each.length === 1 && each[0] === 'BEYOND');
    if (isAllBeyond) return kinds.length > 1 ? [...allowed, 'OBSERVED'] : allowed;
    const { left } = explanation;
    const isPart = kinds.some((kind) => left[kind].length > 0 && mayHold(held, kind, left[kind]));
    if (isPart) allowed.push('CONFIRMED');
    if (isPart && !kinds.slice(1).length && !isTaken(held, cell, explanation)) return allowed;
    if (stands.every((each) => each.includes('PASSED'))) allowed.push('UNREFERENCED');
    if (all.includes('BEFORE')) allowed.push('OBSERVED');
    // Sizes are a witness, no judge: what fits by its number may be of a scheme that nobody knows yet.
    const isOfCount = kinds.some((kind) => left[kind].length >= (held.blobCount ?? 0));
    if (isOfCount || kinds.length > 1) allowed.push('OBSERVED', 'CONFIRMED');
    return allowed;
  }

  private judgeGroups(): void {
    const seen = new Set<string>();
    for (const group of this.held.groups) {
      const name = `${group.lineage} ${group.kind} ${group.daHeight}`;
      if (seen.has(name)) this.fault('GROUP', `${name} is reconstructed twice`);
      seen.add(name);
      const cell = this.cellOf(group.lineage, group.daHeight);
      const why = this.whyNot(group, cell);
      if (why) this.fault(why.rule, `${name} is reconstructed, and ${why.text}`);
    }
    for (const lineage of new Set(this.known.blocks.map((known) => known.lineage))) {
      for (const [daHeight, kind] of this.pointedAt(lineage)) {
        const name = `${lineage} ${kind} ${daHeight}`;
        if (!seen.has(name) && this.isMissing(this.cellOf(lineage, daHeight), kind)) {
          this.fault('MISSING', `${name} is not reconstructed, and nothing explains it`);
        }
      }
    }
  }

  /** Why a group cannot stand there; undefined where it can. */
  private whyNot(group: HeldGroup, cell: Cell): Fault | undefined {
    const kind = group.kind as BlobKind;
    const fault = (text: string): Fault => ({ rule: 'GROUP', text });
    if (!KINDS.includes(kind)) return fault('blobs are headers or data');
    if (!cell.stands[kind].has('PASSED')) return fault('not all blocks that can point there are known');
    if (!cell.explanations) return undefined;
    const lefts = cell.explanations.map(({ left }) => left[kind]);
    const isLeft = lefts.some(
      (left) =>
        left.length === group.blobCount && left.length > 0 && sameBytes(bytesOf(left), group.sizeBytes),
    );
    if (!isLeft) {
      const told = lefts.map((left) => `${left.length} of ${bytesOf(left)}`).join(' or ');
      return fault(
        `it has ${group.blobCount} blobs of ${group.sizeBytes} bytes, and what is left are ${told}`,
      );
    }
    const undecided = cell.rows.find((row) => isUndecidedAt(row, kind));
    if (undecided) return { rule: 'SUCCESS', text: `${nameOf(undecided)} may be it` };
    const left = lefts.find(({ length }) => length === group.blobCount) ?? [];
    const elsewhere = this.held.rows.find(
      (row) =>
        row.lineage !== null &&
        chainOf(row.lineage) === chainOf(group.lineage) &&
        row.lineage !== group.lineage &&
        row.status === 'SUCCESS' &&
        row.evidence !== 'CONFIRMED' &&
        row.daHeight === group.daHeight &&
        row.blobCount === left.length &&
        candidateOf(row).kinds.includes(kind) &&
        haveBytes(kind, left, row.sizeBytes),
    );
    if (elsewhere) return { rule: 'HISTORY', text: `${nameOf(elsewhere)} is it, in ${elsewhere.lineage}` };
    const hidden = this.held.rows.find((row) => this.isHidden(row, cell, kind, left));
    if (!hidden) return undefined;
    const shownAt = this.told.get(`${hidden.node} ${hidden.sequence}`)?.position ?? 0n;
    const rule = ruleOf(hidden, group, shownAt);
    return { rule, text: `${nameOf(hidden)} of ${hidden.lineage} may be it, between its neighbours` };
  }

  /** Whether a row that does not tell where it landed can be the group, and nothing speaks against it. */
  private isHidden(
    row: HeldRow,
    { lineage, daHeight }: Cell,
    kind: BlobKind,
    left: readonly Blob[],
  ): boolean {
    if (row.daHeight !== null || row.evidence !== 'OBSERVED') return false;
    if (row.lineage === null || chainOf(row.lineage) !== chainOf(lineage)) return false;
    if (!candidateOf(row).kinds.includes(kind)) return false;
    const isSuccess = row.status === 'SUCCESS';
    if (!isSuccess && !UNCERTAIN.includes(row.status)) return false;
    // What blocks had shown before it was tried was another one.
    const shownAt = this.firstPointedAt(lineage, kind, left);
    if (row.occurredAt !== null && !row.isWild && row.occurredAt > BigInt(shownAt) * 1_000n) return false;
    const isOfCount = row.blobCount === null || row.blobCount === left.length;
    if (!isOfCount || !haveBytes(kind, left, row.sizeBytes)) return false;
    const others = this.held.rows.filter(
      (other) => other.node === row.node && other.status === 'SUCCESS' && other.daHeight !== null,
    );
    const isBetween = others.every(
      ({ sequence, daHeight: da }) =>
        da === null || (sequence < row.sequence ? da < daHeight : da > daHeight),
    );
    const next = others.find(({ sequence }) => sequence > row.sequence)?.sequence ?? Infinity;
    // Where rows were lost behind a failure, it may have been tried again unseen.
    const isBroken = this.known.losses.some(
      ({ node, after }) => node === row.node && after >= row.sequence && after < next,
    );
    if (!isBetween) return false;
    return isSuccess || (!isBroken && !this.isCrowded(row, lineage, kind, daHeight));
  }

  /**
   * Whether a failure stands in a list that can hold no more of what was posted between it and the group. A node posts blobs of
   * a kind one batch after the other, and its list has them in that order. So where no row of the list is missing
   * between a success and the failure, whatever was posted at DA heights between that success and the group stands
   * between the two, as rows that do not tell where they landed. Where there are fewer of them than DA heights that
   * nothing explains, the failure was not the group. The same holds behind it, up to the next success. It does not where
   * another node has a list: that one may have posted it.
   */
  private isCrowded(row: HeldRow, lineage: string, kind: BlobKind, daHeight: bigint): boolean {
    const isOfChain = (other: HeldRow) =>
      other.lineage !== null && chainOf(other.lineage) === chainOf(lineage);
    if (this.held.rows.some((other) => other.node !== row.node && isOfChain(other))) return false;
    const told = this.held.rows.filter(
      (other) =>
        other.lineage === lineage &&
        other.kind === kind &&
        other.status === 'SUCCESS' &&
        other.daHeight !== null,
    );
    const last = told.filter(({ sequence }) => sequence < row.sequence).at(-1);
    const next = told.find(({ sequence }) => sequence > row.sequence);
    const rowsBetween = (from: number, to: number) =>
      this.held.rows.filter(
        (other) =>
          other.node === row.node &&
          from < other.sequence &&
          other.sequence < to &&
          other.daHeight === null &&
          other.blobCount !== 0 &&
          candidateOf(other).kinds.includes(kind) &&
          (other.status === 'SUCCESS' || UNCERTAIN.includes(other.status)),
      ).length;
    const heightsBetween = (from: bigint, to: bigint) =>
      this.pointedAt(lineage).filter(
        ([da, of]) => of === kind && from < da && da < to && this.cellOf(lineage, da).rows.length === 0,
      ).length;
    const isWhole = (from: number, to: number) =>
      !this.known.losses.some(({ node, after }) => node === row.node && from <= after && after < to);
    // With as many rows as were made, and more posted, something else is wrong.
    if (isWhole(last?.sequence ?? 0, next?.sequence ?? Infinity)) return false;
    const isBefore =
      last !== undefined &&
      isWhole(last.sequence, row.sequence) &&
      heightsBetween(last.daHeight ?? 0n, daHeight) > rowsBetween(last.sequence, row.sequence);
    const isBehind =
      next !== undefined &&
      isWhole(row.sequence, next.sequence) &&
      heightsBetween(daHeight, next.daHeight ?? 0n) > rowsBetween(row.sequence, next.sequence);
    return isBefore || isBehind;
  }

  /** Whether blobs must be reconstructed: all is known, all have been asked, and no attempt can be it. */
  private isMissing(cell: Cell, kind: BlobKind): boolean {
    const { stands, explanations, lineage } = cell;
    if (!explanations || stands[kind].size > 1 || !stands[kind].has('PASSED')) return false;
    if (explanations.some(({ left }) => left[kind].length === 0)) return false;
    const isEachExact = explanations.every(({ carried }) => carried.every((run) => run !== null));
    if (!isEachExact || !this.isAsked(cell, kind)) return false;
    const chain = chainOf(lineage);
    return !this.held.rows.some((row) => {
      // Of which history it is its node has not shown yet.
      if (row.lineage === null && row.daHeight === cell.daHeight && row.chain === chain) return true;
      if (row.daHeight !== null || row.evidence === 'CONFIRMED' || row.blobCount === 0) return false;
      if (row.lineage !== null && chainOf(row.lineage) !== chain) return false;
      if (row.status !== 'SUCCESS' && !UNCERTAIN.includes(row.status) && row.status !== 'ERROR') return false;
      return this.canHaveBeen(row, kind, cell) && this.isNear(row, kind, cell);
    });
  }

  /** Whether a row may have been of a kind when blocks last pointed to a cell: what its node tells later changes no cell. */
  private canHaveBeen(row: HeldRow, kind: BlobKind, cell: Cell): boolean {
    if (candidateOf(row).kinds.includes(kind)) return true;
    const namespace = this.told.get(`${row.node} ${row.sequence}`)?.row.namespace ?? null;
    const told = this.known.nodes.get(row.node)?.namespaces ?? [];
    const first = told.find(({ header, data }) => namespace !== null && [header, data].includes(namespace));
    return (first?.at ?? Infinity) > this.lastPointedAt(cell, kind);
  }

  /**
   * Whether a row stands in its list between the two successes that tell DA heights next to this one. A list has successes of
   * a kind by their DA heights: whatever stands behind a higher one, or before a lower one, was posted elsewhere.
   */
  private isNear(row: HeldRow, kind: BlobKind, { lineage, daHeight }: Cell): boolean {
    const told = this.held.rows.flatMap((other) =>
      other.node === row.node &&
      other.kind === kind &&
      other.status === 'SUCCESS' &&
      other.lineage === lineage &&
      other.daHeight !== null
        ? [{ sequence: other.sequence, da: other.daHeight }]
        : [],
    );
    const sorted = told.sort((a, b) => Number(a.da - b.da) || a.sequence - b.sequence);
    const last = sorted.findLast(({ da }) => da < daHeight);
    const next = sorted.find(({ da }) => da > daHeight);
    return (last?.sequence ?? 0) < row.sequence && row.sequence < (next?.sequence ?? Infinity);
  }

  /** When blocks were last shown to point to a cell, or elsewhere with its blobs, by the observer's clock. */
  private lastPointedAt({ lineage, blobs, daHeight }: Cell, kind: BlobKind): number {
    const heights = new Set(blobs[kind].map(({ height }) => height));
    let pointedAt = -Infinity;
    for (const { blocks } of this.blocksOf(lineage)) {
      for (const block of blocks.values()) {
        const isThere = block.headerDa === daHeight || block.dataDa === daHeight || heights.has(block.height);
        if (isThere) pointedAt = Math.max(pointedAt, block.pointedAt);
      }
    }
    return pointedAt;
  }

  /** Whether every list of the chain is there and was seen after blocks were last shown to point there. */
  private isAsked(cell: Cell, kind: BlobKind): boolean {
    const { lineage } = cell;
    const pointedAt = this.lastPointedAt(cell, kind);
    return [...this.known.nodes.values()].every(
      ({ chains, isRetired, listState, listSeenAt }) =>
        isRetired ||
        !chains.some(({ chain }) => chain === chainOf(lineage)) ||
        (listState === 'NOT_AGGREGATOR' && listSeenAt === null) ||
        ((listState ?? 'AVAILABLE') === 'AVAILABLE' && (listSeenAt ?? -Infinity) > pointedAt),
    );
  }

  /** When the first of these blobs was first seen at its place, by the observer's clock. */
  private firstPointedAt(lineage: string, kind: BlobKind, blobs: readonly Blob[]): number {
    const times = this.blocksOf(lineage).flatMap(({ blocks }) =>
      blobs.flatMap(({ height }) => {
        const block = blocks.get(height);
        const at = kind === 'HEADER' ? block?.headerSeenAt : block?.dataSeenAt;
        return at === undefined || at === null ? [] : [at];
      }),
    );
    return Math.min(...times);
  }

  private judgeLosses(): void {
    const byPosition = new Map(this.known.losses.map((loss) => [loss.position, loss]));
    for (const held of this.held.losses) {
      const known = byPosition.get(held.position);
      const name = `loss ${held.position} of ${held.node}`;
      if (!known || known.node !== held.node || known.kind !== held.kind) {
        this.fault('LOSS', `${name}: the log does not state it`);
        continue;
      }
      byPosition.delete(held.position);
      const shown = BigInt(this.held.groups.filter(({ loss }) => loss === held.position).length);
      const least = known.minLost > shown ? known.minLost : shown;
      if (held.minLost !== least) this.fault('LOSS', `${name}: at least ${held.minLost}, not ${least}`);
      const most = known.maxLost;
      if (held.maxLost !== most && (most === null || held.maxLost !== least)) {
        this.fault('LOSS', `${name}: at most ${held.maxLost}, not ${most}`);
      }
    }
    for (const position of byPosition.keys()) this.fault('LOSS', `loss ${position} is not held`);
    const stated = new Set(this.held.losses.map(({ position }) => position));
    for (const group of this.held.groups) {
      const { loss, lineage, daHeight } = group;
      if (loss === null) continue;
      if (!stated.has(loss)) this.fault('LOSS', `${lineage} ${daHeight} is part of no loss ${loss}`);
      const holders = this.known.losses.filter((each) => this.canHold(each, group));
      const others = holders.filter(({ position }) => position !== loss);
      if (others.length > 0) {
        const told = others.map(({ position, node }) => `${position} of ${node}`).join(', ');
        this.fault('LOSS_OF_SEVERAL', `${lineage} ${daHeight} is part of ${loss}, and may be of ${told}`);
      }
    }
  }

  /** Whether a hole in the list of a node, which never named another chain, lies around a group's DA height. */
  private canHold({ node, after, position }: KnownLoss, { lineage, daHeight }: HeldGroup): boolean {
    const owner = this.known.nodes.get(node);
    const [first] = owner?.chains ?? [];
    if (!owner || !first || first.position > position) return false;
    if (owner.chains.some(({ chain }) => chain !== chainOf(lineage))) return false;
    const told = owner.rows.filter(({ row }) => row.status === 'SUCCESS' && row.daHeight !== null);
    const before = told.findLast(({ sequence }) => sequence <= after)?.row.daHeight ?? 0n;
    const behind = told.find(({ sequence }) => sequence > after)?.row.daHeight ?? daHeight;
    return before <= daHeight && daHeight <= behind;
  }

  private cellOf(lineage: string, daHeight: bigint): Cell {
    const key = `${lineage} ${daHeight}`;
    const known = this.cells.get(key);
    if (known) return known;
    const all = this.blocksOf(lineage);
    const { blobs, isDisputed } = blobsAt(all, daHeight);
    const rows = this.held.rows.filter(
      (row) =>
        row.lineage === lineage &&
        row.daHeight === daHeight &&
        (row.status === 'SUCCESS' || row.evidence === 'CONFIRMED'),
    );
    const candidates = rows.map(candidateOf);
    const stands = { HEADER: standsOf(all, 'HEADER', daHeight), DATA: standsOf(all, 'DATA', daHeight) };
    const explanations = isDisputed ? null : explain(blobs, candidates);
    const cell = { lineage, daHeight, blobs, rows, candidates, explanations, stands };
    this.cells.set(key, cell);
    return cell;
  }

  private blocksOf(lineage: string): readonly KnownBlocks[] {
    return this.known.blocks.filter((known) => known.lineage === lineage);
  }

  private pointedAt(lineage: string): [bigint, BlobKind][] {
    const found = new Map<string, [bigint, BlobKind]>();
    for (const { blocks } of this.blocksOf(lineage)) {
      for (const { headerDa, dataDa } of blocks.values()) {
        if (headerDa !== null) found.set(`${headerDa} HEADER`, [headerDa, 'HEADER']);
        if (dataDa !== null) found.set(`${dataDa} DATA`, [dataDa, 'DATA']);
      }
    }
    return [...found.values()];
  }
}

/** What is broken where a recorded row is reconstructed as well. */
export function ruleOf(row: HeldRow, group: HeldGroup, shownAt: bigint): Fault['rule'] {
  if (row.lineage === null) return 'UNPLACED';
  if (row.lineage !== group.lineage) return 'HISTORY';
  if (shownAt > group.fromPosition) return 'LATE';
  return row.status === 'SUCCESS' ? 'SUCCESS' : 'FAILURE';
}

/**
 * The kinds that a row can be of: by the namespaces told when it was recorded, or, where those do not name its own, by what
 * was told last before or first after that.
 */
function kindsOf({ position, row }: KnownRow, { namespaces }: KnownNode, held: HeldRow): Set<string> {
  const kindBy = (told: KnownNode['namespaces'][number]) => {
    const isHeader = row.namespace !== null && row.namespace === told.header;
    const isData = row.namespace !== null && row.namespace === told.data;
    return isHeader && isData ? 'MIXED' : isHeader ? 'HEADER' : isData ? 'DATA' : 'UNKNOWN';
  };
  const before = namespaces.filter((told) => told.position <= position).map(kindBy);
  const behind = namespaces.filter((told) => told.position > position).map(kindBy);
  const isNamed = (kind: string) => kind !== 'UNKNOWN';
  const now = before.at(-1) ?? 'UNKNOWN';
  const kinds = new Set<string>([now]);
  if (now === 'UNKNOWN') {
    for (const kind of [before.findLast(isNamed), behind.find(isNamed)]) if (kind) kinds.add(kind);
    // What is told afterwards decides, where nothing was before.
    if (before.length === 0 && kinds.size > 1) kinds.delete('UNKNOWN');
  }
  // What blocks show of it tells its kind, too.
  if (held.evidence === 'CONFIRMED' && (kinds.has('UNKNOWN') || kinds.has('MIXED')))
    kinds.add('HEADER').add('DATA');
  return kinds;
}

function candidateOf({ node, kind, blobCount, sizeBytes }: HeldRow): Candidate {
  const kinds = kind === 'HEADER' || kind === 'DATA' ? [kind] : KINDS;
  return { node, kinds, count: blobCount, bytes: sizeBytes };
}

/** A success that may be blobs of a kind at its DA height, as too little is known of it. */
function isUndecidedAt(row: HeldRow, kind: BlobKind): boolean {
  return (
    row.status === 'SUCCESS' &&
    row.evidence === 'OBSERVED' &&
    row.blobCount !== 0 &&
    candidateOf(row).kinds.includes(kind)
  );
}

/** Whether two attempts of a node are told apart by nothing but their place in its list. */
export function isAlike(a: HeldRow, b: HeldRow): boolean {
  const isOfNode = a.node === b.node && a.lineage === b.lineage && a.kind === b.kind;
  return isOfNode && a.blobCount === b.blobCount && a.sizeBytes === b.sizeBytes;
}

function isBelow(a: HeldRow, b: HeldRow): boolean {
  return a.daHeight !== null && b.daHeight !== null && a.daHeight < b.daHeight;
}

/** Whether a batch is large enough for all that is left. */
function mayHold({ blobCount, sizeBytes }: HeldRow, kind: BlobKind, left: readonly Blob[]): boolean {
  if ((blobCount ?? 0) < left.length) return false;
  const bytes = bytesOf(left);
  const least = bytes === null || kind === 'DATA' ? bytes : bytes - BigInt(66 * left.length);
  return sizeBytes === null || least === null || sizeBytes >= least;
}

/**
 * Whether what no row has as its run may be of another attempt than this one: of one that is confirmed, or that does not tell
 * what it is. Two rows of one node are never one attempt.
 */
function isTaken(held: HeldRow, { rows, candidates }: Cell, { carried }: Explanation): boolean {
  const isEqual = <T>(a: T | null, b: T | null) => a === null || b === null || a === b;
  return rows.some((row, index) => {
    const kinds = candidates[index]?.kinds ?? KINDS;
    if (row === held || carried[index] || !kinds.some((kind) => candidateOf(held).kinds.includes(kind)))
      return false;
    const isSame =
      row.node !== held.node &&
      isEqual(row.blobCount, held.blobCount) &&
      isEqual(row.sizeBytes, held.sizeBytes);
    return !isSame && (row.evidence === 'CONFIRMED' || row.blobCount === null || kinds.length > 1);
  });
}

function blobsAt(all: readonly KnownBlocks[], daHeight: bigint): { blobs: Blobs; isDisputed: boolean } {
  const blobs = { HEADER: new Map<bigint, Blob>(), DATA: new Map<bigint, Blob>() };
  let isDisputed = all.some((known) => known.isDisputed);
  const put = (kind: BlobKind, height: bigint, bytes: number | null) => {
    const known = blobs[kind].get(height);
    if (known && known.bytes !== bytes) isDisputed = true;
    blobs[kind].set(height, { height, bytes });
  };
  for (const { blocks } of all) {
    for (const { height, hasData, headerDa, dataDa, headerBytes, dataBytes } of blocks.values()) {
      if (headerDa === daHeight) put('HEADER', height, headerBytes);
      if (dataDa === daHeight && hasData) put('DATA', height, dataBytes);
      for (const { blocks: others } of all) {
        const other = others.get(height);
        const differ = (a: bigint | null, b: bigint | null | undefined) =>
          a === daHeight && b !== null && b !== undefined && a !== b;
        if (
          other &&
          (differ(headerDa, other.headerDa) || differ(dataDa, other.dataDa) || hasData !== other.hasData)
        ) {
          isDisputed = true;
        }
      }
    }
  }
  const sorted = (kind: BlobKind) => [...blobs[kind].values()].sort((a, b) => (a.height < b.height ? -1 : 1));
  return { blobs: { HEADER: sorted('HEADER'), DATA: sorted('DATA') }, isDisputed };
}

function sameBytes(a: bigint | null, b: bigint | null): boolean {
  return a === null || b === null || a === b;
}

function chainOf(lineage: string): string {
  return lineage.slice(0, lineage.lastIndexOf('/'));
}

function nameOf({ node, sequence, kind, status, daHeight }: HeldRow): string {
  return `${node} ${sequence} (${status} ${kind} ${daHeight})`;
}
