import { FIRST_NODE, SECOND_NODE, YEAR_CHAIN } from '../../../src/cli/demo-year.js';
import { draftBlockWith, type BlockDraft } from '../../../src/domain/blocks/block-draft.js';
import type { NewEvent } from '../../../src/domain/events.js';
import { Dice } from './dice.js';
import { NodeWatch, type Absence } from './node-watch.js';
import { liveYear, type YearBlock, type YearTurn } from './year-chain.js';
import type { YearEvent } from './year-event.js';
import { pricesOf } from './year-prices.js';
import { HOUR, isIn, MINUTE, STORY } from './year-story.js';

const SETTINGS = {
  reportingTimeZone: 'UTC',
  // The chain makes a block only if there is something to put into it, and posts it at once. Posts are rare, so two failures mean
  // nothing.
  thresholds: {
    longestBlockIntervalMs: 16 * HOUR,
    silentAfterMs: 3 * HOUR,
    silentAtMostMs: 3 * HOUR,
    failuresCount: 3,
  },
  da: { layer: 'celestia' },
} as const;

/** The events that would have been recorded of the story, in chronological order. The same seed gives the same events. */
export async function makeUpYear(seed: string): Promise<YearEvent[]> {
  const turns = liveYear(seed);
  const drafts = await draftBlocks(turns);
  const nodes = [
    watchFirst(turns, drafts, new Dice(`${seed} first`)),
    watchSecond(turns, drafts, new Dice(`${seed} second`)),
  ];
  const events = [...chainEvents(turns), ...nodes.flatMap((node) => node.events), ...pricesOf(turns)];
  // Stable: events at the same time keep the order in which they were made.
  return events.sort((a, b) => a.event.observedAt - b.event.observedAt);
}

type Drafts = ReadonlyMap<YearBlock, BlockDraft>;

/** The blocks as an observer finds them. They were just signed, so their signatures are not checked again. */
async function draftBlocks(turns: readonly YearTurn[]): Promise<Drafts> {
  const draft = async (each: YearBlock) => {
    const fetched = { height: each.block.header.height, block: each.block };
    return [each, await draftBlockWith(() => Promise.resolve(true), fetched, 'none')] as const;
  };
  return new Map(await Promise.all(turns.flatMap(({ blocks }) => blocks.map(draft))));
}

function watchFirst(turns: readonly YearTurn[], drafts: Drafts, dice: Dice): NodeWatch {
  const { outage, unwatched, restartAt, refusal } = STORY;
  const absences: Absence[] = [
    { ...outage, kind: 'UNREACHABLE' },
    { ...unwatched, kind: 'UNWATCHED', restartAt },
  ];
  const node = new NodeWatch(FIRST_NODE, STORY.from + MINUTE / 2, drafts, dice, absences);
  node.begin(true);
  let leads = true;
  let claimed = 'healthy';
  for (const turn of turns.filter(({ at }) => at < STORY.firstTo)) {
    const isLeader = turn.leader === FIRST_NODE;
    if (isLeader !== leads) node.turnOver(turn.at - 5 * MINUTE, (leads = isLeader));
    node.see(turn);
    const claims = isIn(turn.at, refusal) ? 'degraded' : 'healthy';
    if (leads && claims !== claimed) node.claim(node.lastAt + 2_000, (claimed = claims));
  }
  node.retire(STORY.firstTo);
  return node;
}

function watchSecond(turns: readonly YearTurn[], drafts: Drafts, dice: Dice): NodeWatch {
  const node = new NodeWatch(SECOND_NODE, STORY.secondFrom, drafts, dice);
  node.begin(false);
  let leads = false;
  for (const turn of turns.filter(({ at }) => at > STORY.secondFrom + MINUTE)) {
    const isLeader = turn.leader === SECOND_NODE;
    if (isLeader !== leads) node.turnOver(turn.at - 5 * MINUTE, (leads = isLeader));
    node.see(turn);
  }
  return node;
}

function chainEvents(turns: readonly YearTurn[]): YearEvent[] {
  const [first] = turns;
  const opening = { n: 1, node: FIRST_NODE, height: '1', hash: first?.blocks[0]?.block.hash ?? null };
  const events: NewEvent[] = [
    { type: 'ChainSettingsChanged', observedAt: STORY.from, body: SETTINGS },
    { type: 'ChainLineageOpened', observedAt: (first?.at ?? STORY.from) + 100, body: opening },
  ];
  return events.map((event) => ({ stream: `${YEAR_CHAIN}/chain`, event }));
}
