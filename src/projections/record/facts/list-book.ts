import { entryOf } from '../../../domain/collections.js';
import { toMicros } from '../../../domain/bounds.js';
import type { ProvenTime } from '../../../domain/events.js';
import type { Micros } from '../../../domain/time.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { upsertRows } from '../../../platform/rows/write-rows.js';
import { NodeListEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';

/** How many lists of a node are recognised when they return. An observer distinguishes fewer. */
const MOST_KNOWN = 100;
/** How many lists of a node wait for their chain. Beyond that, the oldest stays without one. */
const MOST_LEFT = 100;

/** The chain that a list's rows are presumed to have until its process names one. */
export interface Presumed {
  /** Null: no chain. */
  readonly chainId: string | null;
  /** Whether the presumption counts as named by the process. */
  readonly told: boolean;
  /** The chain that the node named last, for whichever list. */
  readonly said: string | null;
}

export interface ListObservation {
  readonly nodeKey: number;
  readonly list: number;
  readonly position: bigint;
  /** Sequence of the node's last row before it. */
  readonly afterSequence: bigint;
  readonly at: Micros;
  /** The ring was emptied: another process may show it under the same number. */
  readonly isEmptied: boolean;
}

/** Rows of a list that get another chain, or whose chain is confirmed. */
export interface Named {
  /** The first position of these rows. */
  readonly since: bigint;
  /** The first position after these rows; null if there is no end. */
  readonly until: bigint | null;
  readonly before: string | null;
  readonly name: string;
}

/** A list whose process has not named its chain. */
export type WaitingList = Readonly<Pick<NodeListEntity, 'fromPosition' | 'waitsAt' | 'seenAt'>>;

/**
 * The lists of all nodes. A list belongs to one process, and a process to one chain, so rows take the chain of their list.
 * A new list waits until its process names a chain. If an observer does not ask the process, the list is presumed to have
 * the previous chain.
 */
export class ListBook {
  /** The list last shown under each number, by node; oldest first. */
  private readonly known = new Map<number, Map<bigint, NodeListEntity>>();
  /** Each node's present list, if its process has not named a chain yet. */
  private readonly unnamed = new Map<number, NodeListEntity>();
  /** Each node's lists that were replaced before their process had named a chain, oldest first. */
  private readonly left = new Map<number, NodeListEntity[]>();
  /** The newest list of each node. The present list has the chain of this one. */
  private readonly last = new Map<number, NodeListEntity>();
  /** For each node, the newest list whose process named its chain. */
  private readonly told = new Map<number, NodeListEntity>();
  private readonly dirty = new Set<NodeListEntity>();

  static async load(query: Query): Promise<ListBook> {
    const book = new ListBook();
    const newest = 'SELECT node_key, max(from_position) FROM node_list GROUP BY 1';
    const lists = await readRows(
      query,
      NodeListEntity,
      `WHERE NOT closed OR (node_key, from_position) IN (${newest}) ORDER BY node_key, from_position`,
    );
    for (const list of lists) {
      book.last.set(list.nodeKey, list);
      if (!list.closed) book.keep(list);
    }
    return book;
  }

  hasMet(nodeKey: number): boolean {
    return this.last.has(nodeKey);
  }

  /** The present list if its process has not named a chain yet. Its rows may be presumed to have one. */
  unnamedOf(nodeKey: number): WaitingList | undefined {
    return this.unnamed.get(nodeKey);
  }

  /** The same list, but only if its rows have no chain until then. */
  waitingOf(nodeKey: number): WaitingList | undefined {
    const list = this.unnamed.get(nodeKey);
    return list?.chainId === null ? list : undefined;
  }

  /** The list that a poll shows; a new list if its number is unknown. @param seenAt time of the last poll before it */
  see(observation: ListObservation, presumed: Presumed, seenAt: Micros | null): Readonly<NodeListEntity> {
    const { nodeKey, position, afterSequence, isEmptied } = observation;
    const list = BigInt(observation.list);
    const known = this.known.get(nodeKey)?.get(list);
    const unnamed = this.unnamed.get(nodeKey);
    if (isEmptied) for (const each of this.numbered(nodeKey, list)) this.close(each, position);
    // If rows of another chain came in between, the list continues as a new entry from here.
    const isSame = known?.toPosition === null && known.chainId === this.last.get(nodeKey)?.chainId;
    if (known && !isEmptied && isSame) {
      if (unnamed && unnamed !== known) this.end(unnamed, position);
      return known;
    }
    const isTold = known?.told === true && !isEmptied;
    const { chainId, told } = isTold ? known : presumed;
    if (unnamed) this.end(unnamed, position);
    if (known) this.end(known, position);
    const before = this.told.get(nodeKey)?.chainId ?? null;
    const opened = {
      nodeKey,
      list,
      fromPosition: position,
      toPosition: null,
      afterSequence,
      fromAt: observation.at,
      chainId,
      told: told && chainId !== null,
      mayJoin: before !== null && presumed.said === before,
      closed: false,
      ...(unnamed?.chainId === null
        ? { waitsAt: unnamed.waitsAt, seenAt: unnamed.seenAt }
        : { waitsAt: observation.at, seenAt }),
    };
    this.dirty.add(opened);
    if (known?.told) this.close(known, position);
    this.keep(opened);
    this.last.set(nodeKey, opened);
    const lists = this.known.get(nodeKey) ?? new Map<bigint, NodeListEntity>();
    const [longest] = lists.values();
    if (longest && lists.size > MOST_KNOWN) this.close(longest, position);
    return opened;
  }

  /** Closes all lists of a node: another address may lead to other processes, so its lists are new, whatever their numbers. */
  leave(nodeKey: number, position: bigint): void {
    const lists = [...(this.known.get(nodeKey)?.values() ?? []), ...(this.left.get(nodeKey) ?? [])];
    for (const list of lists) this.close(list, position);
    const unnamed = this.unnamed.get(nodeKey);
    if (unnamed) this.close(unnamed, position);
  }

  /** Notes that a process behind the address names another chain than that of the last named list, or names no chain. */
  doubt(nodeKey: number, name: string | null): void {
    if (name === this.told.get(nodeKey)?.chainId) return;
    for (const list of this.unnamedOnes(nodeKey)) {
      if (list.mayJoin) this.dirty.add(list);
      list.mayJoin = false;
    }
  }

  /** Presumes a chain for the rows of the present list that have no chain. */
  presume(nodeKey: number, name: string): Named[] {
    const list = this.unnamed.get(nodeKey);
    return list?.chainId === null ? [this.give(list, name, false)] : [];
  }

  /**
   * Applies the chain that a list's process named. It also applies to lists that came and went unasked since another list
   * of the same chain was named. Returns an empty list if the list has a chain already, or is not known.
   */
  name(nodeKey: number, name: string, seen: ProvenTime): Named[] {
    const number = BigInt(seen.list);
    const since = toMicros(seen.since);
    const all = this.unnamedOnes(nodeKey);
    const shown = all.filter(({ list }) => list === number);
    if (!shown.some(({ fromAt }) => fromAt <= since)) return [];
    const isAsBefore = this.told.get(nodeKey)?.chainId === name;
    const joined = all.filter((each) => isAsBefore && each.mayJoin && each.chainId === null);
    return [...new Set([...shown, ...joined])].map((each) => this.give(each, name, true));
  }

  /**
   * Applies a chain that a process behind the address named. Older logs do not name the list, so it counts for the present
   * one.
   *
   * @param at time of the answer
   */
  nameAtHand(nodeKey: number, name: string, at: Micros): Named[] {
    const list = this.unnamed.get(nodeKey);
    return list && list.fromAt <= at ? [this.give(list, name, true)] : [];
  }

  async write(query: Query): Promise<void> {
    await upsertRows(query, NodeListEntity, [...this.dirty]);
    this.dirty.clear();
  }

  private give(list: NodeListEntity, name: string, told: boolean): Named {
    const { nodeKey, fromPosition: since, toPosition: until, chainId: before } = list;
    Object.assign(list, { chainId: name, told });
    this.dirty.add(list);
    if (told) {
      if (this.unnamed.get(nodeKey) === list) this.unnamed.delete(nodeKey);
      this.leftOf(nodeKey, (each) => each !== list);
      // Closed if a later list has its number.
      list.closed = this.known.get(nodeKey)?.get(list.list) !== list;
      this.noteTold(nodeKey);
    }
    return { since, until, before, name };
  }

  private noteTold(nodeKey: number): void {
    this.told.delete(nodeKey);
    for (const list of this.known.get(nodeKey)?.values() ?? []) {
      const newest = this.told.get(nodeKey);
      if (list.told && (!newest || newest.fromPosition < list.fromPosition)) this.told.set(nodeKey, list);
    }
  }

  private unnamedOnes(nodeKey: number): NodeListEntity[] {
    return [...(this.left.get(nodeKey) ?? []), ...[this.unnamed.get(nodeKey) ?? []].flat()];
  }

  private numbered(nodeKey: number, number: bigint): NodeListEntity[] {
    const known = this.known.get(nodeKey)?.get(number);
    return [...this.unnamedOnes(nodeKey), ...(known ? [known] : [])].filter(({ list }) => list === number);
  }

  private leftOf(nodeKey: number, isStill: (list: NodeListEntity) => boolean): void {
    const left = this.left.get(nodeKey)?.filter(isStill) ?? [];
    if (left.length > 0) this.left.set(nodeKey, left);
    else this.left.delete(nodeKey);
  }

  private keep(list: NodeListEntity): void {
    const { nodeKey } = list;
    if (!list.told && list.toPosition === null) this.unnamed.set(nodeKey, list);
    else if (!list.told) entryOf(this.left, nodeKey, () => []).push(list);
    const lists = entryOf(this.known, nodeKey, () => new Map<bigint, NodeListEntity>());
    lists.delete(list.list);
    lists.set(list.list, list);
    this.noteTold(nodeKey);
  }

  private end(list: NodeListEntity, position: bigint): void {
    if (list.toPosition !== null) return;
    const { nodeKey } = list;
    list.toPosition = position;
    this.dirty.add(list);
    if (this.unnamed.get(nodeKey) === list) this.unnamed.delete(nodeKey);
    if (list.told) return;
    const left = entryOf(this.left, nodeKey, () => []);
    left.push(list);
    if (left.length > MOST_LEFT && left[0]) this.close(left[0], position);
  }

  /** Closes a list: its number no longer refers to it, and nothing can name its chain. */
  private close(list: NodeListEntity, position: bigint): void {
    this.end(list, position);
    this.forget(list);
    this.leftOf(list.nodeKey, (each) => each !== list);
    list.closed = true;
    this.dirty.add(list);
    this.noteTold(list.nodeKey);
  }

  private forget(list: NodeListEntity): void {
    const lists = this.known.get(list.nodeKey);
    if (lists?.get(list.list) === list) lists.delete(list.list);
  }
}
