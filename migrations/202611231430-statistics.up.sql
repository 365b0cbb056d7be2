-- Statistics and cost: the buckets, and what must be computed again. All of it is computed from the record and the price book.

CREATE TABLE statistic (
  grain                smallint    NOT NULL,
  bucket_at            timestamptz NOT NULL,
  node_key             integer     NOT NULL,
  chain                text        NOT NULL,
  namespace_key        integer     NOT NULL,
  kind                 smallint    NOT NULL,
  status               smallint    NOT NULL,
  attempts             bigint      NOT NULL,
  reconstructed        bigint      NOT NULL,
  undecided            bigint      NOT NULL,
  landed               bigint      NOT NULL,
  unreferenced         bigint      NOT NULL,
  unreadable           bigint      NOT NULL,
  blob_count           bigint      NOT NULL,
  size_bytes           numeric     NOT NULL,
  measured_blobs       bigint      NOT NULL,
  measured_bytes       numeric     NOT NULL,
  shares_min           numeric     NOT NULL,
  shares_max           numeric     NOT NULL,
  reconstructed_shares numeric     NOT NULL,
  gas_price_count      bigint      NOT NULL,
  gas_price_min        numeric,
  gas_price_sum        numeric     NOT NULL,
  gas_price_max        numeric,
  gas_price_last       numeric,
  gas_price_last_at    timestamptz,
  costed               bigint      NOT NULL,
  gas_unknown          bigint      NOT NULL,
  gas_min              numeric     NOT NULL,
  gas_max              numeric     NOT NULL,
  imported             bigint      NOT NULL,
  recorded             bigint      NOT NULL,
  priced               bigint      NOT NULL,
  fee_unknown          bigint      NOT NULL,
  fee_min              numeric     NOT NULL,
  fee_max              numeric     NOT NULL,
  wasted_fee_min       numeric     NOT NULL,
  wasted_fee_max       numeric     NOT NULL,
  failed               bigint      NOT NULL,
  failed_unknown       bigint      NOT NULL,
  failed_fee_max       numeric     NOT NULL,
  fiat                 jsonb       NOT NULL,
  lag_count            bigint      NOT NULL DEFAULT 0,
  lag_sum_ns           numeric     NOT NULL DEFAULT 0,
  submission_count     bigint      NOT NULL DEFAULT 0,
  submission_sum_us    numeric     NOT NULL DEFAULT 0,
  lag_ms               bytea,
  submission_ms        bytea,
  blob_bytes           bytea,
  PRIMARY KEY (node_key, chain, grain, bucket_at, namespace_key, kind, status)
);
COMMENT ON TABLE  statistic                      IS 'Sums of submissions by bucket, owner, namespace, kind and status. A bucket is replaced whole, never added to.';
COMMENT ON COLUMN statistic.grain                IS '0 quarter hour of UTC, 1 hour of UTC, 2 day of the chain''s reporting zone.';
COMMENT ON COLUMN statistic.bucket_at            IS 'Start of the bucket.';
COMMENT ON COLUMN statistic.node_key             IS 'What this node showed; 0: the chain''s own, each submission once, also those that no node showed.';
COMMENT ON COLUMN statistic.chain                IS 'Chain of the submissions; empty while it is not known.';
COMMENT ON COLUMN statistic.namespace_key        IS '0 where the rows name none.';
COMMENT ON COLUMN statistic.kind                 IS 'As in submission.';
COMMENT ON COLUMN statistic.status               IS 'As in submission.';
COMMENT ON COLUMN statistic.attempts             IS 'Rows that a ring showed.';
COMMENT ON COLUMN statistic.reconstructed        IS 'Successes that only blocks prove.';
COMMENT ON COLUMN statistic.undecided            IS 'Groups of blobs that some failed attempt may have posted, and none certainly did.';
COMMENT ON COLUMN statistic.landed               IS 'Failed attempts whose blobs blocks show all the same; they count in volume and cost.';
COMMENT ON COLUMN statistic.unreferenced         IS 'Successes that no block points to: paid for nothing.';
COMMENT ON COLUMN statistic.unreadable           IS 'Submissions (successes, landed, reconstructed, undecided) whose blobs or bytes are not known.';
COMMENT ON COLUMN statistic.blob_count           IS 'Blobs of submissions, where known.';
COMMENT ON COLUMN statistic.size_bytes           IS 'Bytes of submissions, where known.';
COMMENT ON COLUMN statistic.measured_blobs       IS 'Blobs of submissions of which both are known.';
COMMENT ON COLUMN statistic.measured_bytes       IS 'Bytes of the same submissions.';
COMMENT ON COLUMN statistic.shares_min           IS 'Least shares of submissions; without signer.';
COMMENT ON COLUMN statistic.shares_max           IS 'Most shares of submissions; without signer. Those of unknown size are not in it (gas_unknown).';
COMMENT ON COLUMN statistic.reconstructed_shares IS 'Shares of the reconstructed ones, where known.';
COMMENT ON COLUMN statistic.gas_price_count      IS 'Attempts with a recorded gas price; utia per gas.';
COMMENT ON COLUMN statistic.gas_price_min        IS 'The lowest of them.';
COMMENT ON COLUMN statistic.gas_price_sum        IS 'Their sum.';
COMMENT ON COLUMN statistic.gas_price_max        IS 'The highest of them.';
COMMENT ON COLUMN statistic.gas_price_last       IS 'The latest of them.';
COMMENT ON COLUMN statistic.gas_price_last_at    IS 'When that was.';
COMMENT ON COLUMN statistic.costed               IS 'Submissions in the cost: successes, reconstructed, landed, undecided.';
COMMENT ON COLUMN statistic.gas_unknown          IS 'Those whose gas has no bound.';
COMMENT ON COLUMN statistic.gas_min              IS 'Least gas of those with bounds.';
COMMENT ON COLUMN statistic.gas_max              IS 'Most gas of those with bounds.';
COMMENT ON COLUMN statistic.imported             IS 'Submissions whose fee was imported.';
COMMENT ON COLUMN statistic.recorded             IS 'Submissions priced by the gas price that the node reported.';
COMMENT ON COLUMN statistic.priced               IS 'Submissions priced by the price book.';
COMMENT ON COLUMN statistic.fee_unknown          IS 'Submissions whose fee is not known. The four add up to costed.';
COMMENT ON COLUMN statistic.fee_min              IS 'utia; least fee of those that have one.';
COMMENT ON COLUMN statistic.fee_max              IS 'utia; most fee of those that have one.';
COMMENT ON COLUMN statistic.wasted_fee_min       IS 'utia; the part of fee_min that unreferenced ones took.';
COMMENT ON COLUMN statistic.wasted_fee_max       IS 'utia; the part of fee_max that unreferenced ones took.';
COMMENT ON COLUMN statistic.failed               IS 'Failed attempts that did not land.';
COMMENT ON COLUMN statistic.failed_unknown       IS 'Those for which no upper bound of a fee is known.';
COMMENT ON COLUMN statistic.failed_fee_max       IS 'utia; what the others cost at most, if they were charged.';
COMMENT ON COLUMN statistic.fiat                 IS 'By unit: {"EUR": {"min", "max", "count"}}, decimals in text; count: submissions whose fee and rate are known.';
COMMENT ON COLUMN statistic.lag_count            IS 'Values in lag_ms.';
COMMENT ON COLUMN statistic.lag_sum_ns           IS 'Their sum in nanoseconds; a lag below zero counts as 0.';
COMMENT ON COLUMN statistic.submission_count     IS 'Values in submission_ms.';
COMMENT ON COLUMN statistic.submission_sum_us    IS 'Their sum in microseconds.';
COMMENT ON COLUMN statistic.lag_ms               IS 'Sketch of inclusion lags: block time to the success that carried it.';
COMMENT ON COLUMN statistic.submission_ms        IS 'Sketch of times from a batch''s first attempt to its success, of batches that failed before.';
COMMENT ON COLUMN statistic.blob_bytes           IS 'Sketch of blob sizes: exact where the blocks are known, else the mean of the batch for each of its blobs.';
CREATE INDEX statistic_chain_idx ON statistic (chain, grain, bucket_at);

CREATE TABLE block_statistic (
  grain                 smallint    NOT NULL,
  bucket_at             timestamptz NOT NULL,
  node_key              integer     NOT NULL,
  lineage_key           integer     NOT NULL,
  chain                 text        NOT NULL,
  produced              bigint      NOT NULL,
  included              bigint      NOT NULL,
  transactions          bigint      NOT NULL,
  included_transactions bigint      NOT NULL,
  tx_bytes              numeric     NOT NULL,
  included_tx_bytes     numeric     NOT NULL,
  last_height           bigint,
  header_frontier       bigint,
  data_frontier         bigint,
  PRIMARY KEY (node_key, chain, lineage_key, grain, bucket_at)
);
COMMENT ON TABLE  block_statistic                       IS 'Sums of blocks by the bucket of the block''s time, per node and (node_key 0) each block of a lineage once.';
COMMENT ON COLUMN block_statistic.grain                 IS 'As in statistic.';
COMMENT ON COLUMN block_statistic.bucket_at             IS 'When the bucket begins.';
COMMENT ON COLUMN block_statistic.node_key              IS '0: the chain, each block of a lineage once.';
COMMENT ON COLUMN block_statistic.lineage_key           IS 'The history of the chain.';
COMMENT ON COLUMN block_statistic.chain                 IS 'The chain, also where the node did not tell.';
COMMENT ON COLUMN block_statistic.produced              IS 'Blocks.';
COMMENT ON COLUMN block_statistic.included              IS 'Of the blocks produced in the bucket, those whose header and data are included by now.';
COMMENT ON COLUMN block_statistic.transactions          IS 'Transactions in them.';
COMMENT ON COLUMN block_statistic.included_transactions IS 'Transactions of those that are included.';
COMMENT ON COLUMN block_statistic.tx_bytes              IS 'Bytes of their transactions.';
COMMENT ON COLUMN block_statistic.included_tx_bytes     IS 'Bytes of the transactions of those that are included.';
COMMENT ON COLUMN block_statistic.last_height           IS 'Highest height produced in the bucket.';
COMMENT ON COLUMN block_statistic.header_frontier       IS 'Highest block whose header a submission of this bucket carried (bucket of the submission, not of the block).';
COMMENT ON COLUMN block_statistic.data_frontier         IS 'The same for data.';

-- Days begin where a zone's clocks say so, and what they say comes with the program: which data it were stands beside the rules.
CREATE TABLE statistic_state (
  name  text PRIMARY KEY,
  value text NOT NULL
);
COMMENT ON TABLE  statistic_state       IS 'What the statistics remember of the read models they are computed from: which tables (a rebuild makes new ones).';
COMMENT ON COLUMN statistic_state.name  IS 'tables: the read models they are computed from. version: of the rules by which. zones: of the time zone data by which.';
COMMENT ON COLUMN statistic_state.value IS 'Of tables their oids; of version a number; of zones the release that days were made by, such as 2026b.';

CREATE TABLE roll_up_mark (
  node_key   integer     NOT NULL,
  chain      text        NOT NULL,
  quarter_at timestamptz NOT NULL,
  marked_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE  roll_up_mark            IS 'Quarter hours of UTC that must be computed again. Append-only: an upsert would lose a mark or block the projection.';
COMMENT ON COLUMN roll_up_mark.node_key   IS 'The node, or 0 for the chain''s own figures.';
COMMENT ON COLUMN roll_up_mark.chain      IS 'The chain where node_key is 0, else empty.';
COMMENT ON COLUMN roll_up_mark.quarter_at IS 'When the quarter hour begins.';
COMMENT ON COLUMN roll_up_mark.marked_at  IS 'When it was written, so that marks that nobody works off are noticed.';
CREATE INDEX roll_up_mark_age_idx ON roll_up_mark (marked_at);
CREATE INDEX roll_up_mark_subject_idx ON roll_up_mark (node_key, chain, quarter_at);

CREATE TABLE roll_up_fault (
  node_key integer     NOT NULL,
  chain    text        NOT NULL,
  error    text        NOT NULL,
  since    timestamptz NOT NULL DEFAULT clock_timestamp(),
  tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (node_key, chain)
);
COMMENT ON TABLE  roll_up_fault          IS 'Nodes and chains whose figures cannot be computed, set aside with their marks so that others go on.';
COMMENT ON COLUMN roll_up_fault.node_key IS 'As in roll_up_mark.';
COMMENT ON COLUMN roll_up_fault.chain    IS 'As in roll_up_mark.';
COMMENT ON COLUMN roll_up_fault.error    IS 'What the roll-up said of it.';
COMMENT ON COLUMN roll_up_fault.since    IS 'When it was first set aside, the database''s clock.';
COMMENT ON COLUMN roll_up_fault.tried_at IS 'When it was last tried, the database''s clock.';
