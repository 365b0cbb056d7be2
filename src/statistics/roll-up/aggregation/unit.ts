import { compareIntegers } from '../../../domain/collections.js';
import type { PriceBook } from '../../../domain/cost/price-book.js';
import type { Micros } from '../../../domain/time.js';

/** A time range of a node or of a chain. */
export interface Unit {
  /** 0 for a chain: each submission counts once, including submissions that no node showed. */
  readonly nodeKey: number;
  /** Set if nodeKey is 0; otherwise empty, for a node's rows of all chains. */
  readonly chain: string;
  readonly fromUs: Micros;
  /** Exclusive. */
  readonly toUs: Micros;
}

export interface AggregationInput {
  /** The price book of each chain; a chain without a book has no prices. */
  readonly books: ReadonlyMap<string, PriceBook>;
  /** Log position: only what was known there counts; everything known if left out. */
  readonly knownAt?: bigint | undefined;
  readonly pageRows?: number | undefined;
}

/** A part of a unit within which no price changes. */
export interface PricePiece extends Unit {
  readonly index: number;
  readonly unit: number;
}

/**
 * Cuts units where prices change. A chain's units are cut by its own book, a node's units by all books, because its rows may be
 * of any chain.
 */
export function cutUnits(units: readonly Unit[], books: ReadonlyMap<string, PriceBook>): PricePiece[] {
  const [first] = units;
  if (first === undefined) return [];
  const fromUs = units.reduce((least, unit) => (unit.fromUs < least ? unit.fromUs : least), first.fromUs);
  const toUs = units.reduce((greatest, unit) => (unit.toUs > greatest ? unit.toUs : greatest), first.toUs);
  const stepsOf = new Map<string, readonly Micros[]>();
  for (const [chain, book] of books) {
    const steps = book.steps(fromUs, toUs);
    if (steps.length > 0) stepsOf.set(chain, steps);
  }
  const allSteps = [...new Set([...stepsOf.values()].flat())].sort(compareIntegers);
  const pieces = units.flatMap((unit, index) => {
    const steps = unit.nodeKey === 0 ? (stepsOf.get(unit.chain) ?? []) : allSteps;
    return cut(unit, steps).map((piece) => ({ ...piece, unit: index }));
  });
  return pieces.map((piece, index) => ({ ...piece, index }));
}

/** Uncut units, for sums that do not depend on prices. */
export function wholeUnits(units: readonly Unit[]): PricePiece[] {
  return units.map((unit, index) => ({ ...unit, unit: index, index }));
}

function cut(unit: Unit, steps: readonly Micros[]): Unit[] {
  const inside = steps.filter((at) => at > unit.fromUs && at < unit.toUs);
  const starts = [unit.fromUs, ...inside];
  return starts.map((fromUs, index) => ({ ...unit, fromUs, toUs: starts[index + 1] ?? unit.toUs }));
}
