import { SKETCH_LOG_GAMMA } from '../../../domain/statistics/sketch.js';
import { FARTHEST_TIME_US, microsToNanos } from '../../../domain/time.js';
import { blocksKnownAt, indexed } from '../../../projections/record/readers/known-rows.reader.js';
import { evidenceCodeOf, kindCodeOf } from '../../../domain/submissions/submission-codes.js';

const CONFIRMED = evidenceCodeOf('CONFIRMED');
const UNREFERENCED = evidenceCodeOf('UNREFERENCED');
const HEADER = kindCodeOf('HEADER');
const DATA = kindCodeOf('DATA');
const MIXED = kindCodeOf('MIXED');

/** A row may claim any number of blobs; blobs beyond this number add no weight to a distribution. */
const MOST_BLOBS = 100_000;

/** A row of {@link carriedRows}: values of a distribution in one bin, and how far blocks reach. */
export interface CarriedRow {
  readonly piece: number;
  readonly chain: string;
  readonly namespaceKey: number;
  readonly kind: number;
  readonly status: number;
  readonly lineageKey: number | null;
  /** Whether the header (true) or the data (false) of the block at `height` was carried. */
  readonly isHeader: boolean | null;
  readonly height: bigint | null;
  readonly lagBin: number | null;
  readonly lagMax: number | null;
  /** Sum of the values, an integer, in nanoseconds. */
  readonly lagSum: string | null;
  /** Time from a batch's first attempt to its success. */
  readonly submissionBin: number | null;
  readonly submissionMax: number | null;
  /** Sum of the values, an integer, in microseconds. */
  readonly submissionSum: string | null;
  readonly sizeBin: number | null;
  readonly sizeMax: number | null;
  readonly n: bigint;
}

/** SQL of the domain's `binOf`, over a double; values below 1 are in bin 0. Null for null. */
function sketchBinSql(value: string): string {
  return `1 + floor(ln(CASE WHEN ${value} < 0.99 THEN 0.99 ELSE ${value} END) / ${SKETCH_LOG_GAMMA}::float8)::int`;
}

/** Times are bounded to 1938 to 2200, so that no difference is too large for the column type. */
const TIME_US = `least(greatest((extract(epoch FROM r.time_at) * 1000000)::bigint, -1000000000000000), ${FARTHEST_TIME_US})`;
const BLOCK_TIME_NS = `least(greatest(b.time_ns, 0), ${microsToNanos(FARTHEST_TIME_US)})`;

/**
 * SQL that follows the common table expressions with `r`. It selects the blocks that submissions carried (lag, size, how far
 * they reach). It also selects mean sizes for submissions whose blocks are not known, and the time from the first attempt to
 * success.
 *
 * @param isShared whether several nodes may show the same blocks: each counts once
 */
export function carriedRows(isShared: boolean, knownAt: bigint | undefined): string {
  return `, c AS (
      SELECT r.piece, r.chain, r.namespace_key AS namespace_key, r.kind, r.status, r.lineage_key, r.node_key,
             r.evidence, r.time_at, r.first_attempt_at, r.blob_count, r.size_bytes, r.da_height, r.block_from, r.block_to,
             CASE WHEN r.status = 0 AND r.evidence = ${CONFIRMED} AND r.block_from IS NOT NULL
                  THEN ${TIME_US} * 1000 END AS lag_from_ns,
             CASE WHEN r.kind = ${HEADER} THEN true WHEN r.kind = ${DATA} THEN false
                  WHEN r.block_from IS NOT NULL THEN ${headersFit(knownAt)} END AS is_header
        FROM r WHERE r.status = 0 OR r.evidence = ${CONFIRMED})
    SELECT piece, chain, namespace_key AS "namespaceKey", kind, status, lineage_key AS "lineageKey",
           is_header AS "isHeader", max(height) AS height, lag_bin AS "lagBin", max(lag) AS "lagMax",
           sum(greatest(lag_ns, 0)) AS "lagSum", NULL::int AS "submissionBin",
           NULL::float8 AS "submissionMax", NULL::numeric AS "submissionSum",
           size_bin AS "sizeBin", max(size) AS "sizeMax", count(*) AS n
      FROM (SELECT *, ${sketchBinSql('lag')} AS lag_bin, ${sketchBinSql('size')} AS size_bin
              FROM (SELECT *, lag_ns::float8 / 1e6 AS lag FROM (${blocksOf('header', isShared, knownAt)} UNION ALL ${blocksOf('data', isShared, knownAt)}) b) l) x
     GROUP BY ${KEY}, lineage_key, is_header, lag_bin, size_bin
    UNION ALL
    SELECT ${KEY}, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, size_bin, max(size), sum(blobs)
      FROM (SELECT *, ${sketchBinSql('size')} AS size_bin FROM (${meanSizes()}) m) x
     GROUP BY ${KEY}, size_bin
    UNION ALL
    SELECT ${KEY}, NULL, NULL, NULL, NULL, NULL, NULL, submission_bin, max(submission_ms), sum(submission_us),
           NULL, NULL, count(*)
      FROM (SELECT *, ${sketchBinSql('submission_ms')} AS submission_bin
              FROM (SELECT *, (submission_us / 1000)::float8 AS submission_ms FROM (${submissionTimes()}) t) l) x
     GROUP BY ${KEY}, submission_bin`;
}

const KEY = 'piece, chain, namespace_key, kind, status';

/**
 * SQL, for a row with known blocks but unknown contents: whether the headers of the blocks match its number of blobs and its
 * bytes.
 */
function headersFit(knownAt: bigint | undefined): string {
  // If the size of one header is not known, the sum proves nothing.
  return `(SELECT count(*) = r.blob_count AND (count(h.bytes) < count(*) OR coalesce(sum(h.bytes) = r.size_bytes, true))
     FROM (SELECT max(header_blob_bytes) AS bytes FROM ${blocksKnownAt(knownAt)}
            WHERE b.lineage_key = r.lineage_key AND ${indexed('b.header_da_height', knownAt)} = r.da_height
              AND b.height BETWEEN r.block_from AND r.block_to GROUP BY b.height) h)`;
}

/** A row without known blocks that may contain headers or data counts as reaching as far as both do at its DA height. */
function blocksOf(side: 'header' | 'data', isShared: boolean, knownAt: bigint | undefined): string {
  const isHeader = side === 'header';
  const [time, bytes, group] = isShared
    ? ['min(b.time_ns)', `max(b.${side}_blob_bytes)`, 'GROUP BY b.height']
    : ['b.time_ns', `b.${side}_blob_bytes`, 'OFFSET 0'];
  return `SELECT ${KEY}, c.lineage_key, ${isHeader} AS is_header, b.height,
      c.lag_from_ns - ${BLOCK_TIME_NS} AS lag_ns,
      CASE WHEN c.block_from IS NOT NULL
        THEN coalesce(b.bytes, c.size_bytes::float8 / nullif(c.blob_count, 0)) END AS size
    FROM c CROSS JOIN LATERAL (
      SELECT b.height, ${time} AS time_ns, ${bytes} AS bytes FROM ${blocksKnownAt(knownAt)}
       WHERE b.lineage_key = c.lineage_key AND ${indexed(`b.${side}_da_height`, knownAt)} = c.da_height ${isHeader ? '' : 'AND b.tx_count > 0'}
         AND (c.block_from IS NULL OR b.height BETWEEN c.block_from AND c.block_to)
         AND (c.block_from IS NOT NULL OR b.${side}_da_height IS NOT NULL)
       ${group}) b
   WHERE c.evidence <> ${UNREFERENCED}
     AND (c.is_header = ${isHeader} OR (c.is_header IS NULL AND c.kind = ${MIXED}))`;
}

/** Each blob of a submission whose blocks are not known gets the mean size. */
function meanSizes(): string {
  return `SELECT ${KEY}, size_bytes::float8 / blob_count AS size, least(blob_count, ${MOST_BLOBS}) AS blobs
    FROM c WHERE block_from IS NULL AND blob_count > 0 AND size_bytes IS NOT NULL`;
}

function submissionTimes(): string {
  return `SELECT ${KEY}, greatest(round(extract(epoch FROM time_at - first_attempt_at) * 1000000), 0) AS submission_us
    FROM c WHERE status = 0 AND node_key IS NOT NULL AND first_attempt_at IS NOT NULL`;
}
