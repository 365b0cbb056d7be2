import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { Database } from '../../platform/sql.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { anywhere, limitOf, SqlParameters, whereAll } from '../graphql/sql-text.js';
import { PRESENT, type TravelArgs } from '../graphql/time-travel.js';
import { hasMessageIndex } from '../submissions/submission-filter.js';
import { SentRowsQuery } from '../submissions/sent-rows.query.js';
import type { Submission } from '../submissions/submission.type.js';
import { type SubmissionListKey, SubmissionsQuery } from '../submissions/submissions.query.js';

/** Newest rows to scan for a message, before the index is used and if there is no index. */
const NEWEST_ROWS = 20_000;
const NEWEST_WITHOUT_INDEX = 200_000;
/** Limit of rows from the index, which returns them in no order. */
const MOST_INDEXED = 1_000;
/** Submissions at one DA height to check for a blob. */
const MOST_AT_A_HEIGHT = 200;
/** A commitment does not contain a height, so the newest events are scanned: for this long, this many at a time. */
const LOOK_FOR_MS = 1_000;
const EVENTS_AT_ONCE = 2_000n;

const MATCHES = 's.status <> 0 AND s.message IS NOT NULL AND s.message ILIKE $1';

/** Finds submissions by message, blob or commitment. */
@Injectable()
export class SubmissionSearch {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    @Inject(API_OPTIONS) private readonly options: Pick<ApiOptions, 'clock'>,
    private readonly submissions: SubmissionsQuery,
    private readonly sentRows: SentRowsQuery,
  ) {}

  /** At most `first` failed attempts of a past with this text in their message, newest first. */
  async findByMessage(part: string, first: number, past = PRESENT): Promise<Submission[]> {
    const parameters = new SqlParameters([anywhere(part)]);
    const inPast = [
      ...parameters.compare('s.from_position', '<=', past.knownAt),
      ...parameters.compareTime('s.time_at', '<', past.asOf),
    ];
    const there = whereAll(inPast);
    // In a past, scans the rows before it, by the index of times.
    const order = past.asOf === undefined ? 's.from_position DESC, s.sequence DESC' : 's.time_at DESC';
    const matches = [MATCHES, ...inPast].join(' AND ');
    const hasIndex = await hasMessageIndex(this.reads);
    const newest = await this.findPlaces(
      `SELECT s.* FROM (SELECT s.* FROM submission s ${there} ORDER BY ${order}
                         LIMIT ${hasIndex ? NEWEST_ROWS : NEWEST_WITHOUT_INDEX}) s WHERE ${MATCHES}`,
      parameters,
      first,
    );
    if (!hasIndex || newest.length >= first) return this.load(newest, past);
    const indexed = await this.findPlaces(
      `SELECT s.* FROM submission s WHERE ${matches} LIMIT ${MOST_INDEXED}`,
      parameters,
      first,
    );
    return this.load([...newest, ...indexed], past);
  }

  async findByBlob(
    { id, daHeight }: { readonly id: string; readonly daHeight: bigint },
    travel: TravelArgs = {},
  ): Promise<Submission[]> {
    const { nodes } = await this.submissions.getSubmissions(
      { daHeightFrom: daHeight, daHeightTo: daHeight },
      'OBSERVED_DESC',
      { first: MOST_AT_A_HEIGHT },
      travel,
    );
    return this.keepCarriers(nodes, (blobId) => blobId === id);
  }

  /** Submissions with a blob of this commitment, from the newest events only. */
  async findByCommitment(commitment: string, past = PRESENT): Promise<Submission[]> {
    const [head] = await this.reads.query<{ position: bigint }[]>('SELECT position FROM log_head');
    const until = this.options.clock.monotonic() + LOOK_FOR_MS;
    for (let end = head?.position ?? 0n; end > 0n; end -= EVENTS_AT_ONCE) {
      const events = await this.reads.query<{ position: bigint }[]>(
        `SELECT position FROM event WHERE position > $1 AND position <= $2 AND type = 'SubmissionsObserved'
            AND strpos(body::text, $3) > 0`,
        [end - EVENTS_AT_ONCE, end, commitment],
      );
      if (events.length > 0) {
        const places = await this.reads.query<SubmissionListKey[]>(
          `SELECT node_key AS "nodeKey", sequence FROM submission WHERE from_position = ANY ($1::bigint[]) AND sequence IS NOT NULL LIMIT 1000`,
          [events.map(({ position }) => position)],
        );
        return this.keepCarriers(await this.load(places, past), (blobId) => blobId.endsWith(commitment));
      }
      if (this.options.clock.monotonic() >= until) break;
    }
    return [];
  }

  private async keepCarriers(
    submissions: readonly Submission[],
    isIt: (blobId: string) => boolean,
  ): Promise<Submission[]> {
    const listed = submissions.filter(({ sequence }) => sequence !== null);
    const sent = await this.sentRows.getSentRows(
      listed.map(({ fromPosition, sequence }) => ({ fromPosition, sequence: sequence ?? 0n })),
    );
    return listed.filter((_, index) => sent[index]?.row.blobIds.some(isIt));
  }

  private findPlaces(rows: string, parameters: SqlParameters, first: number): Promise<SubmissionListKey[]> {
    return this.reads.query<SubmissionListKey[]>(
      `SELECT s.node_key AS "nodeKey", s.sequence FROM (${rows}) s
        WHERE s.sequence IS NOT NULL ORDER BY s.from_position DESC, s.sequence DESC LIMIT ${limitOf(first)}`,
      parameters.values,
    );
  }

  private async load(places: readonly SubmissionListKey[], past = PRESENT): Promise<Submission[]> {
    return (await this.submissions.getRows(places, past)).filter((row) => row !== undefined);
  }
}
