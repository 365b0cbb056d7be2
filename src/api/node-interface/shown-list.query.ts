import { Inject, Injectable } from '@nestjs/common';
import type { SourceState } from '../../domain/events.js';
import { FARTHEST_TIME_US, type Micros } from '../../domain/time.js';
import { readShownWindow } from '../../event-log/shown-window.reader.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { StatementSource } from '../../platform/sql.js';
import { SqlParameters, whereAll } from '../graphql/sql-text.js';
import { SentRowsQuery } from '../submissions/sent-rows.query.js';
import type { Asked, ListPart } from './asked.js';
import type { Standing } from './node-answer.js';

/** What a node's list of submissions was at a moment. */
export interface ShownList extends Standing {
  /** What it was when it last answered; null where it never had. */
  readonly state: SourceState | null;
  /** As sent, in the order in which the node sends them. */
  readonly rows: readonly string[];
  readonly newestFirst: boolean;
  /** It could not be read then: the rows are those of the last look that saw it. */
  readonly isAway: boolean;
}

/** A part of the recorded rows. */
export interface RecordedRows {
  /** As sent, newest first. */
  readonly rows: readonly string[];
  /** The number of the oldest one, where there are older ones. */
  readonly next: bigint | undefined;
}

const USUAL_LIMIT = 100;

/** Reads the list of submissions of a node. */
@Injectable()
export class ShownListQuery {
  constructor(
    @Inject(ReadDatabase) private readonly dataSource: StatementSource,
    private readonly sentRows: SentRowsQuery,
  ) {}

  /** The list as the node was showing it. */
  async getList({ node, at }: Pick<Asked, 'node' | 'at'>): Promise<ShownList> {
    const moment = at ?? FARTHEST_TIME_US;
    const [window, said] = await Promise.all([
      readShownWindow(this.dataSource, node, moment),
      this.findState(node, moment),
    ]);
    const { rows, newestFirst, lookedAt, doubt } = window;
    const isPresent = at === undefined && doubt === 'BETWEEN_LOOKS';
    return {
      state: said?.state ?? null,
      rows: rows.map(({ text }) => text),
      newestFirst,
      isAway: doubt === 'AWAY',
      asOf: lookedAt,
      isProven:
        doubt === null || isPresent || (said?.isOff === true && (at === undefined || at === said.fromAt)),
    };
  }

  /** Recorded rows, also those that the node does not show any more. */
  async getRecordedRows({ node, at }: Asked, part: ListPart): Promise<RecordedRows> {
    const parameters = new SqlParameters();
    const { limit = USUAL_LIMIT, before, from, to } = part;
    const conditions = [
      `s.node_key = (SELECT node_key FROM node WHERE id = ${parameters.add(node, 'text')})`,
      ...parameters.compare('s.sequence', '<', before),
      ...parameters.compareTime('s.time_at', '>=', from),
      ...parameters.compareTime('s.time_at', '<', to),
      ...(at === undefined ? [] : [`s.observed_at <= ${parameters.addTime(at)}`]),
    ];
    const places = await this.dataSource.query<{ sequence: bigint; fromPosition: bigint }[]>(
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

  /** What the list was when it last answered up to a moment, whatever that was. */
  private async findState(
    node: string,
    at: Micros,
  ): Promise<{ state: SourceState; fromAt: Micros; isOff: boolean } | undefined> {
    const parameters = new SqlParameters();
    const rows = await this.dataSource.query<{ state: SourceState; fromAt: Micros; isOpen: boolean }[]>(
      `SELECT state, from_at AS "fromAt", to_at IS NULL OR to_at > ${parameters.addTime(at)} AS "isOpen"
         FROM availability_interval
        WHERE node = ${parameters.add(node, 'text')} AND from_at <= ${parameters.addTime(at)} AND to_position IS NULL
          AND state NOT IN ('UNREACHABLE', 'INVALID')
        ORDER BY from_at DESC LIMIT 1`,
      parameters.values,
    );
    return rows.map(({ state, fromAt, isOpen }) => ({
      state,
      fromAt,
      isOff: isOpen && state !== 'AVAILABLE',
    }))[0];
  }
}
