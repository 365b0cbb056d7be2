import { holdAgainstTruth, uncovered, type Findings, type Span } from './hold-against-truth.js';
import type { ChainTold, NodeTold } from './read-told.js';
import type { ScriptedAddress } from './scripted-address.js';
import type { Stage } from './stage.js';

/** A row is observed and recorded within this time, at polls two seconds apart. */
const SEEN_MS = 5_000;
/** Times named in a fault. */
const SHOWN = 6;

/** Mistakes of a recorder about the lists of a stage. */
export interface Judgement {
  /** Numbers of rows, for a table. */
  readonly counts: {
    readonly posted: number;
    readonly missing: number;
    readonly 'outside holes': number;
    readonly covered: number;
    readonly 'covered by chain': number;
    readonly holes: number;
  };
  /** One line per fault; empty when nothing is wrong. */
  readonly faults: readonly string[];
}

/** A time in which the recorder was dead, from its last moment on. */
export type Blind = Span;

/** Compares the reports about a chain with the play. */
export function judge(stage: Stage, told: ChainTold, blind: readonly Blind[] = []): Judgement {
  const faults: string[] = [];
  const found = stage.addresses.map((address) => {
    const node = told.nodes.get(address.id);
    if (!node) throw new Error(`nothing is told of ${address.id}`);
    const findings = holdAgainstTruth(stage.postedBehind(address), node);
    faults.push(...describe(address.id, findings), ...judgeGood(stage, address, node, blind));
    return { findings, node };
  });
  const chain = holdAgainstTruth(stage.posted, told.together);
  faults.push(...describe(`chain ${stage.id}`, chain), ...judgeGoodChain(stage, told, blind));
  const sum = (of: (each: (typeof found)[number]) => number): number =>
    found.reduce((total, each) => total + of(each), 0);
  return {
    counts: {
      posted: stage.posted.length,
      missing: chain.missing,
      'outside holes': sum(({ findings }) => findings.outside.length),
      covered: sum(({ findings }) => findings.covered.length),
      'covered by chain': chain.covered.length,
      holes: sum(({ node }) => holesBehindStart(node).length),
    },
    faults,
  };
}

function describe(who: string, { doubled, outside, covered, unexcused, missing }: Findings): string[] {
  const faults: string[] = [];
  if (doubled.length > 0) faults.push(`${who}: recorded too often or never posted: ${doubled.join()}`);
  if (unexcused.length > 0) {
    const at = unexcused.map((row) => row.at).sort((a, b) => a - b);
    const many = `${missing} missing, ${outside.length} outside every hole, ${covered.length} covered`;
    const times = [...new Set(at)].map(timeOf);
    faults.push(
      `${who}: ${many}, posted at ${times.slice(0, SHOWN).join()}${times.length > SHOWN ? ',…' : ''}`,
    );
  }
  return faults;
}

/** Requirements for nodes that do nothing wrong. */
function judgeGood(
  stage: Stage,
  address: ScriptedAddress,
  told: NodeTold,
  blind: readonly Blind[],
): string[] {
  const { id } = address;
  const holes = holesBehindStart(told);
  if (stage.good.has(id)) {
    const excused = blindWhileEmpty(stage, address, blind);
    const isExcused = (gap: Span): boolean =>
      excused.some(({ from, to }) => gap.from <= to && gap.to >= from);
    const unproven = uncovered(told.covered, watchedTime([address], stage)).filter((gap) => !isExcused(gap));
    return [
      ...holes
        .filter((hole) => !isExcused(hole))
        .map((hole) => `${id}: a hole of ${spanOf(hole)} where none is`),
      ...unproven.map((gap) => `${id}: not covered ${spanOf(gap)}, though nothing can be missing`),
    ];
  }
  const most = stage.listless.has(id) ? 0 : stage.mostHoles.get(id);
  if (most === undefined || holes.length <= most + blind.length) return [];
  return [`${id}: ${holes.length} holes where ${most} would say it all`];
}

/** A chain of nothing but good nodes is covered as they are. */
function judgeGoodChain(stage: Stage, told: ChainTold, blind: readonly Blind[]): string[] {
  const good = stage.addresses.filter(({ id }) => stage.good.has(id));
  const isGood = stage.addresses.every(({ id }) => stage.good.has(id) || stage.listless.has(id));
  if (!isGood || good.length === 0) return [];
  const excused = good.flatMap((address) => blindWhileEmpty(stage, address, blind));
  return uncovered(told.together.covered, watchedTime(good, stage))
    .filter((gap) => !excused.some(({ from, to }) => gap.from <= to && gap.to >= from))
    .map((gap) => `chain ${stage.id}: not covered ${spanOf(gap)}, though nothing can be missing`);
}

/** The time from the second poll of each address to the last poll, while anything happens. */
function watchedTime(addresses: readonly ScriptedAddress[], { silentAt }: Stage): Span {
  const seconds = addresses.map(({ looks }) => looks[1]?.at ?? Infinity);
  const lasts = addresses.map(({ looks }) => looks.at(-1)?.at ?? -Infinity);
  return { from: Math.max(...seconds), to: Math.min(...lasts, silentAt) };
}

/** A recorder that was dead after observing an empty list cannot know that it is still the same list. */
function blindWhileEmpty(stage: Stage, address: ScriptedAddress, blind: readonly Blind[]): readonly Blind[] {
  const firstRow = Math.min(...stage.postedBehind(address).map(({ at }) => at));
  return blind.filter(({ from }) => from - SEEN_MS < firstRow);
}

function holesBehindStart({ holes }: NodeTold): readonly Span[] {
  return holes.filter(({ kind }) => kind !== 'BEFORE_START');
}

function spanOf({ from, to }: Span): string {
  return `${timeOf(from)} to ${timeOf(to)}`;
}

function timeOf(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : 'now';
}
