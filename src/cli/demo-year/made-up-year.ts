import { draftBlockWith, type BlockDraft } from '../../domain/blocks/block-draft.js';
import type { NewEvent } from '../../domain/events.js';
import { Dice } from './dice.js';
import { NodeWatch, type Absence } from './node-watch.js';
import { liveYear, type YearBlock, type YearTurn } from './year-chain.js';
import type { YearEvent } from './year-event.js';
import { pricesOf } from './year-prices.js';
import { FIRST_NODE, HOUR, isIn, MINUTE, SECOND_NODE, YEAR_CHAIN, type YearStory } from './year-story.js';

/** The events of the year, ordered by time, and the final states of some streams. */
export interface MadeUpYear {
  readonly events: readonly YearEvent[];
  /** JSON values by stream. */
  readonly states: ReadonlyMap<string, unknown>;
}

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

/** The events that would have been recorded of the story. The same story and seed give the same events. */
export async function makeUpYear(story: YearStory, seed: string): Promise<MadeUpYear> {
  const turns = liveYear(story, seed);
  const drafts = await draftBlocks(turns);
  const nodes = [
    watchFirst(story, turns, drafts, new Dice(`${seed} first`)),
    watchSecond(story, turns, drafts, new Dice(`${seed} second`)),
  ];
  const events = [
    ...chainEvents(story, turns),
    ...nodes.flatMap((node) => node.events),
    ...pricesOf(story, turns),
  ];
  // Stable: events at the same time keep the order in which they were made.
  events.sort((a, b) => a.event.observedAt - b.event.observedAt);
  return { events, states: statesOf(turns) };
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

function watchFirst(story: YearStory, turns: readonly YearTurn[], drafts: Drafts, dice: Dice): NodeWatch {
  const { outage, unwatched, restartAt, refusal } = story;
  const absences: Absence[] = [
    { ...outage, kind: 'UNREACHABLE' },
    { ...unwatched, kind: 'UNWATCHED', restartAt },
  ];
  const node = new NodeWatch(FIRST_NODE, story.from + MINUTE / 2, drafts, dice, absences);
  node.begin(true);
  let leads = true;
  let claimed = 'healthy';
  for (const turn of turns.filter(({ at }) => at < story.firstTo)) {
    const isLeader = turn.leader === FIRST_NODE;
    if (isLeader !== leads) node.turnOver(turn.at - 5 * MINUTE, (leads = isLeader));
    node.see(turn);
    const claims = isIn(turn.at, refusal) ? 'degraded' : 'healthy';
    if (leads && claims !== claimed) node.claim(node.lastAt + 2_000, (claimed = claims));
  }
  node.retire(story.firstTo);
  return node;
}

function watchSecond(story: YearStory, turns: readonly YearTurn[], drafts: Drafts, dice: Dice): NodeWatch {
  const node = new NodeWatch(SECOND_NODE, story.secondFrom, drafts, dice);
  node.begin(false);
  let leads = false;
  for (const turn of turns.filter(({ at }) => at > story.secondFrom + MINUTE)) {
    const isLeader = turn.leader === SECOND_NODE;
    if (isLeader !== leads) node.turnOver(turn.at - 5 * MINUTE, (leads = isLeader));
    node.see(turn);
  }
  node.retire(story.to);
  return node;
}

function chainEvents(story: YearStory, turns: readonly YearTurn[]): YearEvent[] {
  const events: NewEvent[] = [
    { type: 'ChainSettingsChanged', observedAt: story.from, body: SETTINGS },
    { type: 'ChainLineageOpened', observedAt: (turns[0]?.at ?? story.from) + 100, body: openingOf(turns) },
  ];
  return events.map((event) => ({ stream: `${YEAR_CHAIN}/chain`, event }));
}

function openingOf(turns: readonly YearTurn[]) {
  const hash = turns[0]?.blocks[0]?.block.hash ?? null;
  return { n: 1, node: FIRST_NODE, height: '1', hash };
}

/** Without these states, a service would assume that the nodes are still monitored and that the chain has no settings. */
function statesOf(turns: readonly YearTurn[]): Map<string, unknown> {
  const retired = (id: string, isLeader: boolean) => ({
    settings: NodeWatch.settingsOf(id),
    retired: true,
    described: NodeWatch.descriptionOf(isLeader),
  });
  return new Map<string, unknown>([
    [`${YEAR_CHAIN}/chain`, { settings: SETTINGS, lineages: [openingOf(turns)] }],
    [`${FIRST_NODE}/node`, retired(FIRST_NODE, false)],
    [`${SECOND_NODE}/node`, retired(SECOND_NODE, true)],
  ]);
}
