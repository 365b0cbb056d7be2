-- Statistics and cost: what the record needs so that they can be computed, the price book, and the buckets themselves.
-- Everything here but event is a read model. The record is read again from the log, since its rows have new columns.

ALTER TABLE submission
  ADD COLUMN digest           bigint,
  ADD COLUMN block_from       bigint,
  ADD COLUMN block_to         bigint,
  ADD COLUMN first_attempt_at timestamptz,
  ADD COLUMN shares           integer,
  ADD COLUMN signed_shares    integer;
COMMENT ON COLUMN submission.digest           IS 'First 64 bits of the SHA-256 of the row as sent: tells equal rows of two endpoints of one node. Null for RECONSTRUCTED.';
COMMENT ON COLUMN submission.block_from       IS 'Height of the first block it carried, where its evidence names them one by one.';
COMMENT ON COLUMN submission.block_to         IS 'Height of the last one; between them it carried every block (for data: every one with transactions) of its DA height.';
COMMENT ON COLUMN submission.first_attempt_at IS 'Of a success after failures: time_at of the first failed attempt of its batch. Null without one, or where rows in between may have been missed.';
COMMENT ON COLUMN submission.shares           IS 'Shares of its blobs on Celestia, without signer; null where its blobs'' sizes are not known one by one.';
COMMENT ON COLUMN submission.signed_shares    IS 'The same for blobs that name their signer.';
CREATE INDEX submission_node_time_idx ON submission (node_key, time_at);
CREATE INDEX submission_wild_idx ON submission (occurred_at) WHERE wild_time AND occurred_at IS NOT NULL;
-- A quarter hour is read by node: block_time_idx would find whole ranges of pages for it, of every node.
CREATE INDEX block_node_time_idx ON block (node_key, time_ns);
-- The next block that has data to post is found at once, however many without transactions lie before it.
CREATE INDEX block_data_idx ON block (node_key, lineage_key, height) WHERE tx_count > 0;

CREATE TABLE submission_run (
  node_key         integer     NOT NULL,
  namespace_key    integer     NOT NULL,
  first_attempt_at timestamptz NOT NULL,
  PRIMARY KEY (node_key, namespace_key)
);
COMMENT ON TABLE  submission_run                  IS 'Batches that have failed and not succeeded yet.';
COMMENT ON COLUMN submission_run.namespace_key    IS '0 where the rows name no namespace.';
COMMENT ON COLUMN submission_run.first_attempt_at IS 'time_at of the first failed attempt.';

CREATE TABLE statistic_mark (
  node_key   integer     NOT NULL,
  chain      text        NOT NULL,
  quarter_at timestamptz NOT NULL,
  marked_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE  statistic_mark            IS 'Quarter hours of UTC that must be computed again. Append-only: an upsert would lose a mark or block the projection.';
COMMENT ON COLUMN statistic_mark.node_key   IS 'The node, or 0 for the chain''s own figures.';
COMMENT ON COLUMN statistic_mark.chain      IS 'The chain where node_key is 0, else empty.';
COMMENT ON COLUMN statistic_mark.marked_at  IS 'When it was written, so that marks that nobody works off are noticed.';
CREATE INDEX statistic_mark_age_idx ON statistic_mark (marked_at);
CREATE INDEX statistic_mark_subject_idx ON statistic_mark (node_key, chain, quarter_at);

CREATE TABLE chain_setting (
  chain               text   PRIMARY KEY,
  reporting_time_zone text   NOT NULL,
  da_layer            text,
  from_position       bigint NOT NULL
);
COMMENT ON TABLE  chain_setting                     IS 'What the settings say of a chain, as last recorded.';
COMMENT ON COLUMN chain_setting.reporting_time_zone IS 'IANA name; its days are those of reports.';

CREATE TABLE price (
  chain          text        NOT NULL,
  subject        text        NOT NULL CHECK (subject IN ('GAS_PRICE', 'GAS_SCHEDULE', 'FIAT_RATE')),
  effective_from timestamptz NOT NULL,
  value          jsonb       NOT NULL,
  source         text        NOT NULL,
  recorded_at    timestamptz NOT NULL,
  from_position  bigint      NOT NULL,
  to_position    bigint,
  PRIMARY KEY (chain, subject, effective_from, from_position)
);
COMMENT ON TABLE  price                IS 'The price book: each entry holds from its moment until the next one of its chain and subject. Versions are kept.';
COMMENT ON COLUMN price.effective_from IS '-infinity: from the beginning.';
COMMENT ON COLUMN price.value          IS 'GAS_PRICE {utia}, GAS_SCHEDULE {gasPerShareByte, gasPerBlob, fixedGas, signer}, FIAT_RATE {unit, perTia}; decimals in text.';
COMMENT ON COLUMN price.source         IS 'settings, or what the person who set it said of it.';
COMMENT ON COLUMN price.to_position    IS 'The event that replaced this version; null: it stands.';

CREATE TABLE imported_fee (
  chain         text    NOT NULL,
  da_height     bigint  NOT NULL,
  namespace     text    NOT NULL,
  ordinal       integer NOT NULL,
  fee_utia      numeric NOT NULL,
  tx_hash       text,
  source        text    NOT NULL,
  from_position bigint  NOT NULL,
  PRIMARY KEY (chain, da_height, namespace, ordinal)
);
COMMENT ON TABLE  imported_fee           IS 'Fees that somebody read from the DA layer.';
COMMENT ON COLUMN imported_fee.namespace IS '58 hex digits, lower case; empty where the file names none.';
COMMENT ON COLUMN imported_fee.ordinal   IS 'Counts from 1 among the fees of the same DA height and namespace.';

CREATE TABLE imported_fee_past (
  chain       text    NOT NULL,
  da_height   bigint  NOT NULL,
  namespace   text    NOT NULL,
  ordinal     integer NOT NULL,
  fee_utia    numeric NOT NULL,
  to_position bigint  NOT NULL,
  PRIMARY KEY (chain, da_height, namespace, ordinal, to_position)
);
COMMENT ON TABLE  imported_fee_past             IS 'What a fee was before it was corrected.';
COMMENT ON COLUMN imported_fee_past.fee_utia    IS 'utia; what was known until to_position.';
COMMENT ON COLUMN imported_fee_past.to_position IS 'The event that corrected it.';

CREATE TABLE statistic (
  grain               smallint    NOT NULL,
  bucket_at           timestamptz NOT NULL,
  node_key            integer     NOT NULL,
  chain               text        NOT NULL,
  namespace_key       integer     NOT NULL,
  kind                smallint    NOT NULL,
  status              smallint    NOT NULL,
  attempts            bigint      NOT NULL,
  reconstructed       bigint      NOT NULL,
  landed              bigint      NOT NULL,
  unreferenced        bigint      NOT NULL,
  unreadable          bigint      NOT NULL,
  blob_count          bigint      NOT NULL,
  size_bytes          numeric     NOT NULL,
  measured_blobs      bigint      NOT NULL,
  measured_bytes      numeric     NOT NULL,
  shares_min          numeric     NOT NULL,
  shares_max          numeric     NOT NULL,
  reconstructed_shares numeric    NOT NULL,
  gas_price_count     bigint      NOT NULL,
  gas_price_min       numeric,
  gas_price_sum       numeric     NOT NULL,
  gas_price_max       numeric,
  gas_price_last      numeric,
  gas_price_last_at   timestamptz,
  costed              bigint      NOT NULL,
  gas_unknown         bigint      NOT NULL,
  gas_min             numeric     NOT NULL,
  gas_max             numeric     NOT NULL,
  imported            bigint      NOT NULL,
  recorded            bigint      NOT NULL,
  priced              bigint      NOT NULL,
  fee_unknown         bigint      NOT NULL,
  fee_min             numeric     NOT NULL,
  fee_max             numeric     NOT NULL,
  wasted_fee_min      numeric     NOT NULL,
  wasted_fee_max      numeric     NOT NULL,
  failed              bigint      NOT NULL,
  failed_unknown      bigint      NOT NULL,
  failed_fee_max      numeric     NOT NULL,
  fiat                jsonb       NOT NULL,
  lag_ms              bytea,
  submission_ms       bytea,
  blob_bytes          bytea,
  PRIMARY KEY (node_key, chain, grain, bucket_at, namespace_key, kind, status)
);
COMMENT ON TABLE  statistic                IS 'Sums of submissions by bucket, subject, namespace, kind and status. A bucket is replaced whole, never added to.';
COMMENT ON COLUMN statistic.grain          IS '0 quarter hour of UTC, 1 hour of UTC, 2 day of the chain''s reporting zone.';
COMMENT ON COLUMN statistic.bucket_at      IS 'Start of the bucket.';
COMMENT ON COLUMN statistic.node_key       IS 'What this node showed; 0: the chain''s own, each submission once, RECONSTRUCTED ones included.';
COMMENT ON COLUMN statistic.chain          IS 'Chain of the submissions; empty while it is not known.';
COMMENT ON COLUMN statistic.namespace_key  IS '0 where the rows name none.';
COMMENT ON COLUMN statistic.kind           IS 'As in submission.';
COMMENT ON COLUMN statistic.status         IS 'As in submission.';
COMMENT ON COLUMN statistic.attempts       IS 'Rows that a ring showed.';
COMMENT ON COLUMN statistic.reconstructed  IS 'Successes that only blocks prove.';
COMMENT ON COLUMN statistic.landed         IS 'Failed attempts whose blobs blocks show all the same; they count in volume and cost.';
COMMENT ON COLUMN statistic.unreferenced   IS 'Successes that no block points to: paid for nothing.';
COMMENT ON COLUMN statistic.unreadable     IS 'Submissions (successes, landed, reconstructed) whose blobs or bytes are not known.';
COMMENT ON COLUMN statistic.blob_count     IS 'Blobs of submissions, where known.';
COMMENT ON COLUMN statistic.size_bytes     IS 'Bytes of submissions, where known.';
COMMENT ON COLUMN statistic.measured_blobs IS 'Blobs of submissions of which both are known.';
COMMENT ON COLUMN statistic.measured_bytes IS 'Bytes of the same submissions.';
COMMENT ON COLUMN statistic.shares_min     IS 'Least shares of submissions; without signer.';
COMMENT ON COLUMN statistic.shares_max     IS 'Most shares of submissions; without signer. Those of unknown size are not in it (gas_unknown).';
COMMENT ON COLUMN statistic.reconstructed_shares IS 'Shares of the reconstructed ones, where known.';
COMMENT ON COLUMN statistic.gas_price_count IS 'Attempts with a recorded gas price; utia per gas.';
COMMENT ON COLUMN statistic.costed         IS 'Submissions in the cost: successes, reconstructed, landed.';
COMMENT ON COLUMN statistic.gas_unknown    IS 'Those whose gas has no bound.';
COMMENT ON COLUMN statistic.gas_min        IS 'Least gas of those with bounds.';
COMMENT ON COLUMN statistic.gas_max        IS 'Most gas of those with bounds.';
COMMENT ON COLUMN statistic.imported       IS 'Submissions whose fee was imported.';
COMMENT ON COLUMN statistic.recorded       IS 'Submissions priced by the gas price that the node reported.';
COMMENT ON COLUMN statistic.priced         IS 'Submissions priced by the price book.';
COMMENT ON COLUMN statistic.fee_unknown    IS 'Submissions whose fee is not known. The four add up to costed.';
COMMENT ON COLUMN statistic.fee_min        IS 'utia; least fee of those that have one.';
COMMENT ON COLUMN statistic.fee_max        IS 'utia; most fee of those that have one.';
COMMENT ON COLUMN statistic.wasted_fee_min IS 'utia; the part of fee_min that unreferenced ones took.';
COMMENT ON COLUMN statistic.wasted_fee_max IS 'utia; the part of fee_max that unreferenced ones took.';
COMMENT ON COLUMN statistic.failed         IS 'Failed attempts that did not land.';
COMMENT ON COLUMN statistic.failed_unknown IS 'Those for which no upper bound of a fee is known.';
COMMENT ON COLUMN statistic.failed_fee_max IS 'utia; what the others cost at most, if they were charged.';
COMMENT ON COLUMN statistic.fiat           IS 'By unit: {"EUR": {"min", "max", "count"}}, decimals in text; count: submissions whose fee and rate are known.';
COMMENT ON COLUMN statistic.lag_ms         IS 'Sketch of inclusion lags: block time to the success that carried it.';
COMMENT ON COLUMN statistic.submission_ms  IS 'Sketch of times from a batch''s first attempt to its success, of batches that failed before.';
COMMENT ON COLUMN statistic.blob_bytes     IS 'Sketch of blob sizes: exact where the blocks are known, else the mean of the batch for each of its blobs.';
CREATE INDEX statistic_chain_idx ON statistic (chain, grain, bucket_at);

CREATE TABLE block_statistic (
  grain           smallint    NOT NULL,
  bucket_at       timestamptz NOT NULL,
  node_key        integer     NOT NULL,
  lineage_key     integer     NOT NULL,
  chain           text        NOT NULL,
  produced        bigint      NOT NULL,
  included        bigint      NOT NULL,
  transactions    bigint      NOT NULL,
  included_transactions bigint NOT NULL,
  tx_bytes        numeric     NOT NULL,
  included_tx_bytes numeric   NOT NULL,
  last_height     bigint,
  header_frontier bigint,
  data_frontier   bigint,
  PRIMARY KEY (node_key, chain, lineage_key, grain, bucket_at)
);
COMMENT ON TABLE  block_statistic                 IS 'Sums of blocks by the bucket of the block''s time, per node and (node_key 0) each block of a lineage once.';
COMMENT ON COLUMN block_statistic.grain           IS 'As in statistic.';
COMMENT ON COLUMN block_statistic.included        IS 'Of the blocks produced in the bucket, those whose header and data are included by now.';
COMMENT ON COLUMN block_statistic.last_height     IS 'Highest height produced in the bucket.';
COMMENT ON COLUMN block_statistic.header_frontier IS 'Highest block whose header a submission of this bucket carried (bucket of the submission, not of the block).';
COMMENT ON COLUMN block_statistic.data_frontier   IS 'The same for data.';

CREATE TABLE statistic_state (
  name  text PRIMARY KEY,
  value text NOT NULL
);
COMMENT ON TABLE statistic_state IS 'What the statistics remember of the read models they are computed from: which tables (a rebuild makes new ones).';

-- The record's tables are filled anew from the log.
TRUNCATE node, namespace, lineage, submission, submission_evidence_past, proposer, block, inclusion_walk, inclusion_open, loss;
DELETE FROM projection WHERE name = 'record';
