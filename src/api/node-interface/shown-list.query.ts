import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { SourceState } from '../../domain/events.js';
import { FARTHEST_TIME_US, type Micros } from '../../domain/time.js';
import { isCut } from '../../domain/submissions/cut-row.js';
import type { WindowAt } from '../../domain/coverage/window-at.js';
import { listStream, readLastWindow, readWindowAt } from '../../event-log/window-at.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { type Database, ONE_PLAN } from '../../platform/sql.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import { SentRowsQuery } from '../submissions/sent-rows.query.js';
import type { NodeQuestion, ListPart } from './node-question.js';
import type { Provenance } from './node-answer.js';

/** A node's list of submissions at a moment. */
export interface ShownList extends Provenance {
  /** The state at the last answer; null where the list had never answered. */
  readonly state: SourceState | null;
  /** As sent, in the node's order. */
  readonly rows: readonly string[];
  readonly newestFirst: boolean;
  /** The list could not be read at that moment: the rows are those of the last successful poll. */
  readonly isAway: boolean;
}

export interface RecordedRows {
  /** As sent, newest first. */
  readonly rows: readonly string[];
  /** The sequence number of the oldest row here, if there are older rows. */
  readonly next: bigint | undefined;
}

/** Members that are lost in rows that were cut. */
const CUT_CELLS = ['submissions.blob_ids', 'submissions.message'];

/** Names of members that the log does not have for these rows. */
export function findMissing(rows: readonly string[]): readonly string[] {
  return rows.some(isCut) ? CUT_CELLS : [];
}

const USUAL_LIMIT = 100;

/** Cache limits: number of lists, and characters of each; at most 20 MB together. */
const MOST_KEPT = 100;
const LONGEST_KEPT = 200_000;

interface ListState {
  readonly state: SourceState;
  readonly fromAt: Micros;
  readonly isOff: boolean;
  /** Version of the list's last event, at any time. */
  readonly version: bigint;
}

@Injectable()
export class ShownListQuery {
  /** The list of each node after the event with that version. */
  private readonly kept = new LRUCache<string, { readonly version: bigint; readonly window: WindowAt }>({
    max: MOST_KEPT,
    maxEntrySize: LONGEST_KEPT,
    sizeCalculation: ({ window }) => window.rows.reduce((sum, { text }) => sum + text.length, 1),
  });

  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    private readonly sentRows: SentRowsQuery,
  ) {}

  /** The list as the node showed it. */
  async getList({ node, at }: Pick<NodeQuestion, 'node' | 'at'>): Promise<ShownList> {
    const said = await this.findState(node, at ?? FARTHEST_TIME_US);
    const window = await (at === undefined
      ? this.readLast(node, said?.version ?? 0n)
      : readWindowAt(this.reads, node, at));
    const { rows, newestFirst, lookedAt, doubt } = window;
    const isPresent = at === undefined && doubt === 'BETWEEN_LOOKS';
    const texts = rows.map(({ text }) => text);
    const missing = findMissing(texts);
    return {
      state: said?.state ?? null,
      rows: texts,
      newestFirst,
      isAway: doubt === 'AWAY' && said?.isOff !== true,
      asOf: lookedAt,
      isProven:
        (missing.length === 0 && (doubt === null || isPresent)) ||
        (said?.isOff === true && (at === undefined || at === said.fromAt)),
      missing,
    };
  }

  /** The state of the list at its last answer up to a moment; null where the list had never answered. */
  async getState({ node, at }: Pick<NodeQuestion, 'node' | 'at'>): Promise<SourceState | null> {
    return (await this.findState(node, at ?? FARTHEST_TIME_US))?.state ?? null;
  }

  /** Cached until the next event, since the list follows from events alone and clients poll it. */
  private async readLast(node: string, version: bigint): Promise<WindowAt> {
    const kept = this.kept.get(node);
    if (kept?.version === version) return kept.window;
    const window = await readLastWindow(this.reads, node, version);
    this.kept.set(node, { version, window });
    return window;
  }

  /** Recorded rows, including those that the node does not show any more. */
  async getRecordedRows({ node, at }: NodeQuestion, part: ListPart): Promise<RecordedRows> {
    const parameters = new SqlParameters();
    const { limit = USUAL_LIMIT, before, from, to } = part;
    const conditions = [
      `s.node_key = (SELECT node_key FROM node WHERE id = ${parameters.add(node, 'text')})`,
      ...parameters.compare('s.sequence', '<', before),
      ...parameters.compareTime('s.time_at', '>=', from),
      ...parameters.compareTime('s.time_at', '<', to),
      ...(at === undefined ? [] : [`s.observed_at <= ${parameters.addTime(at)}`]),
    ];
    const places = await this.reads.query<{ sequence: bigint; fromPosition: bigint }[]>(
      `SELECT s.sequence, s.from_position AS "fromPosition" FROM submission s ${whereAll(conditions)}
        ORDER BY s.sequence DESC LIMIT ${parameters.add(limit + 1, 'int')}`,
      parameters.values,
    );
    const shown = places.slice(0, limit);
    const sent = await this.sentRows.getSentRows(shown);
    return {
      rows: sent.flatMap((row) => row?.text ?? []),
      next: places.length > limit ? shown.at(-1)?.sequence : undefined,
    };
  }

  /** The state of the list at its last answer up to a moment, in any state. */
  private async findState(node: string, at: Micros): Promise<ListState | undefined> {
    const parameters = new SqlParameters();
    const rows = await this.reads.query<(Omit<ListState, 'isOff'> & { isOpen: boolean })[]>(
      `${ONE_PLAN} SELECT state, from_at AS "fromAt", to_at IS NULL OR to_at > ${parameters.addTime(at)} AS "isOpen",
              coalesce((SELECT version FROM stream_head WHERE stream = ${parameters.add(listStream(node), 'text')}), 0) AS version
         FROM availability_interval
        WHERE node = ${parameters.add(node, 'text')} AND from_at <= ${parameters.addTime(at)} AND to_position IS NULL
          AND state NOT IN ('UNREACHABLE', 'INVALID')
        ORDER BY from_at DESC LIMIT 1`,
      parameters.values,
    );
    return rows.map(({ isOpen, ...row }) => ({ ...row, isOff: isOpen && row.state !== 'AVAILABLE' }))[0];
  }
}
