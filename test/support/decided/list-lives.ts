import type { ChainItem, KnownNode } from './known-log.js';

/** A list of submissions during the life of one process. */
export interface ListLife {
  readonly list: number;
  /** The event that first showed it, and the time of its poll. */
  readonly from: bigint;
  readonly at: number;
  /** The event from which its number means another list; null: its number still means this list. */
  readonly to: bigint | null;
  /** The chain of its rows: named by its process, or else presumed; null: unknown. */
  readonly chain: string | null;
  /** The event by which its process named the chain; null while it has not. */
  readonly namedBy: bigint | null;
  /** The last event that gave its rows another chain than they had. */
  readonly movedBy: bigint | null;
  /** The time since which its node had shown only lists without a chain, and the last poll of a list before. */
  readonly waitsAt: number;
  readonly seenBefore: number;
  /** Whether the list named last had a chain, and since then only processes of that chain answered at the address. */
  readonly mayJoin: boolean;
  /** Whether its number now belongs to another list, so that nothing refers to it any more. */
  readonly isClosed: boolean;
}

type Changing = { -readonly [Name in keyof ListLife]: ListLife[Name] };

/** The lives of a node's lists, and the life that each event shows, by position. */
export interface ListLives {
  readonly all: readonly ListLife[];
  readonly shownBy: ReadonlyMap<bigint, ListLife>;
}

const tellers = new WeakMap<KnownNode, Teller>();

/** The lives of a node's lists. A list belongs to one process, and a process to one chain. A node's items are only ever appended. */
export function livesOf(node: KnownNode): ListLives {
  const teller = tellers.get(node) ?? new Teller();
  tellers.set(node, teller);
  for (const item of node.items.slice(teller.count)) teller.take(item);
  return teller;
}

/** The list that a node shows, if its rows have no chain yet. */
export function waitingOf(node: KnownNode): ListLife | undefined {
  return livesOf(node).all.findLast(
    (life) => life.to === null && life.namedBy === null && life.chain === null,
  );
}

class Teller implements ListLives {
  /** Number of items read. */
  count = 0;
  readonly all: Changing[] = [];
  readonly shownBy = new Map<bigint, ListLife>();
  private settings: { readonly url: string; readonly chain: string | null } | undefined;
  private chain: string | null = null;
  /** Whether a source other than the settings has named the present chain. */
  private isTold = false;
  /** Whether the observer records the process of each answer. */
  private saysWhose = false;

  take(item: ChainItem): void {
    this.count += 1;
    switch (item.by) {
      case 'SETTINGS':
        return this.takeSettings(item);
      case 'LIST':
        this.shownBy.set(item.position, this.show(item));
        return;
      case 'NODE':
        this.saysWhose = item.seen !== undefined;
        if (item.chain !== null) this.word(item.chain);
        if (item.chain !== null || item.seen) this.doubt(item.chain);
        if (item.seen && item.chain !== null) return this.nameShown(item.chain, item.seen, item.position);
        if (item.seen) return this.presume(item.position);
        return this.nameAtHand(item.chain, item);
      case 'BLOCKS':
        this.word(item.chain);
        this.doubt(item.chain);
        return this.nameAtHand(item.chain, item);
      default:
        item satisfies never;
    }
  }

  private word(chain: string): void {
    this.chain = chain;
    this.isTold = true;
  }

  private takeSettings({ url, chain, position }: Extract<ChainItem, { by: 'SETTINGS' }>): void {
    const before = this.settings;
    this.settings = { url, chain };
    if (chain !== null && (this.chain === null || chain !== before?.chain)) {
      this.isTold &&= chain === this.chain;
      this.chain = chain;
    }
    const isRenamed = before && before.chain !== null && chain !== null && before.chain !== chain;
    if (before && (before.url !== url || isRenamed)) for (const life of this.all) this.close(life, position);
    this.presume(position);
  }

  private show(item: Extract<ChainItem, { by: 'LIST' }>): ListLife {
    const { list, position, at } = item;
    const present = this.all.find((life) => life.to === null && life.list === list);
    const unnamed = this.unnamed();
    for (const life of [...(unnamed ? [unnamed] : []), ...(item.isEmptied && present ? [present] : [])])
      if (life !== present || item.isEmptied) life.to ??= position;
    if (present && !item.isEmptied) return present;
    const numbered = this.all.filter((life) => life.list === list);
    if (item.isEmptied) for (const life of numbered) this.close(life, position);
    const told = numbered.findLast((life) => life.namedBy !== null && !life.isClosed);
    const before = this.lastTold();
    const isWaiting = unnamed?.chain === null;
    const life: Changing = {
      list,
      at,
      from: position,
      to: null,
      movedBy: null,
      waitsAt: isWaiting ? unnamed.waitsAt : at,
      seenBefore: isWaiting ? unnamed.seenBefore : item.seenBefore,
      isClosed: false,
      mayJoin: before !== undefined && this.chain === before.chain,
      ...(told ? { chain: told.chain, namedBy: told.namedBy } : this.chainOfNew(position)),
    };
    this.all.push(life);
    return life;
  }

  /**
   * If answers do not identify their process, a new list is presumed to belong to the chain named last; the first list does
   * belong to it.
   */
  private chainOfNew(position: bigint): Pick<ListLife, 'chain' | 'namedBy'> {
    if (this.saysWhose) return { chain: this.isTold ? null : (this.settings?.chain ?? null), namedBy: null };
    const isNamed = this.isTold && this.all.length === 0;
    return { chain: this.chain, namedBy: isNamed ? position : null };
  }

  private unnamed(): Changing | undefined {
    return this.all.find((life) => life.to === null && life.namedBy === null);
  }

  private presume(position: bigint): void {
    const life = this.unnamed();
    const chain = this.settings?.chain ?? null;
    if (life?.chain === null && chain !== null) Object.assign(life, { chain, movedBy: position });
  }

  private nameShown(chain: string, seen: { list: number; since: number }, position: bigint): void {
    const waiting = this.all.filter((life) => life.namedBy === null && !life.isClosed);
    const shown = waiting.filter((life) => life.list === seen.list);
    if (!shown.some((life) => life.at <= seen.since)) return;
    const isAsBefore = this.lastTold()?.chain === chain;
    const joined = waiting.filter((life) => isAsBefore && life.mayJoin && life.chain === null);
    for (const life of new Set([...shown, ...joined])) this.name(life, chain, position);
  }

  private lastTold(): Changing | undefined {
    return this.all.findLast((life) => life.namedBy !== null && !life.isClosed);
  }

  private doubt(chain: string | null): void {
    if (this.lastTold()?.chain === chain) return;
    for (const life of this.all) if (life.namedBy === null) life.mayJoin = false;
  }

  private close(life: Changing, position: bigint): void {
    life.to ??= position;
    life.isClosed = true;
  }

  private nameAtHand(chain: string | null, { at, position }: { at: number; position: bigint }): void {
    const life = this.unnamed();
    if (chain !== null && !this.saysWhose && life && life.at <= at) this.name(life, chain, position);
  }

  private name(life: Changing, chain: string, position: bigint): void {
    if (life.chain !== chain) life.movedBy = position;
    Object.assign(life, { chain, namedBy: position });
  }
}
