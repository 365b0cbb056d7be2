-- Read models of the record itself: nodes, submissions, blocks, losses. All of it can be rebuilt from the log.
-- from_position / to_position: the event that made a row known, and the later one that replaced it.

CREATE TABLE projection (
  name     text   PRIMARY KEY,
  position bigint NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE  projection          IS 'How far each projection has read the log.';
COMMENT ON COLUMN projection.position IS 'Position of the last event that is in its tables.';

CREATE TABLE node (
  node_key           integer     PRIMARY KEY,
  id                 text        NOT NULL UNIQUE,
  url                text        NOT NULL,
  status_url         text,
  chain_id           text,
  aggregator         boolean,
  shape              text,
  service_prefix     text,
  header_namespace   text,
  data_namespace     text,
  lineage_key        integer,
  head               bigint,
  oldest             bigint,
  inclusion_frontier bigint,
  da_included        bigint,
  last_submitted_header bigint,
  last_submitted_data   bigint,
  clock_offset_ms    bigint,
  submission_count   bigint      NOT NULL DEFAULT 0,
  block_count        bigint      NOT NULL DEFAULT 0,
  last_success_at    timestamptz,
  last_seen_at       timestamptz,
  retired            boolean     NOT NULL DEFAULT false,
  list_state         text,
  list_state_at      timestamptz,
  list_seen_at       timestamptz,
  list_looked_at     timestamptz,
  from_position      bigint      NOT NULL,
  to_position        bigint
) WITH (fillfactor = 50);
COMMENT ON TABLE  node                    IS 'Each monitored node and its present state.';
COMMENT ON COLUMN node.node_key           IS 'Short key, counted in the order of first appearance in the log.';
COMMENT ON COLUMN node.id                 IS 'The id from the settings.';
COMMENT ON COLUMN node.url                IS 'Base address of its RPC server.';
COMMENT ON COLUMN node.status_url         IS 'Address of its status query, where configured.';
COMMENT ON COLUMN node.chain_id           IS 'Null until it has said its chain (or the settings did).';
COMMENT ON COLUMN node.aggregator         IS 'Whether it submits to the DA layer; null while unknown.';
COMMENT ON COLUMN node.shape              IS 'SPEC or EV_NODE: which form its answers take.';
COMMENT ON COLUMN node.service_prefix     IS 'Prefix of its StoreService, such as evnode.v1.';
COMMENT ON COLUMN node.header_namespace   IS '58 hex digits.';
COMMENT ON COLUMN node.data_namespace     IS '58 hex digits; equal to header_namespace when both share one.';
COMMENT ON COLUMN node.lineage_key        IS 'The lineage that its latest block belongs to.';
COMMENT ON COLUMN node.head               IS 'Its newest height.';
COMMENT ON COLUMN node.oldest             IS 'The oldest height it still has.';
COMMENT ON COLUMN node.inclusion_frontier IS 'The height up to which every recorded block is included, header and data; null while none is.';
COMMENT ON COLUMN node.da_included        IS 'Its own metadata d.';
COMMENT ON COLUMN node.last_submitted_header IS 'Its own metadata last-submitted-header-height.';
COMMENT ON COLUMN node.last_submitted_data   IS 'Its own metadata last-submitted-data-height.';
COMMENT ON COLUMN node.clock_offset_ms    IS 'Its clock minus the observer''s, to about a second.';
COMMENT ON COLUMN node.submission_count   IS 'Rows recorded from its ring.';
COMMENT ON COLUMN node.block_count        IS 'Blocks recorded from it.';
COMMENT ON COLUMN node.last_success_at    IS 'Time of its newest successful submission (as in submission.time_at).';
COMMENT ON COLUMN node.last_seen_at       IS 'The last successful look at any of its subjects, observer''s clock.';
COMMENT ON COLUMN node.retired            IS 'No longer in the settings.';
COMMENT ON COLUMN node.list_state         IS 'What its list of submissions was when last looked at: a SourceState; null before the first look.';
COMMENT ON COLUMN node.list_state_at      IS 'When the list was found to be so, observer''s clock.';
COMMENT ON COLUMN node.list_seen_at       IS 'The last look at its list whose rows are all recorded, observer''s clock.';
COMMENT ON COLUMN node.list_looked_at     IS 'The last look at its list, whatever came of it, observer''s clock.';
COMMENT ON COLUMN node.from_position      IS 'The event that made it known.';
COMMENT ON COLUMN node.to_position        IS 'The event that retired it.';

CREATE TABLE namespace (
  namespace_key integer PRIMARY KEY,
  namespace     text    NOT NULL UNIQUE
);
COMMENT ON TABLE namespace IS 'DA namespaces, 58 hex digits, lower case.';

CREATE TABLE lineage (
  lineage_key   integer PRIMARY KEY,
  chain_id      text    NOT NULL,
  n             integer NOT NULL,
  from_position bigint  NOT NULL,
  UNIQUE (chain_id, n)
);
COMMENT ON TABLE  lineage   IS 'One history of a chain. A proven difference opens the next one.';
COMMENT ON COLUMN lineage.n IS 'Counts from 1 within the chain.';

CREATE TABLE submission (
  node_key      integer,
  sequence      bigint,
  lineage_key  integer,
  ring          integer,
  status        smallint    NOT NULL,
  kind          smallint    NOT NULL,
  evidence      smallint    NOT NULL,
  wild_time     boolean     NOT NULL,
  unreadable    boolean     NOT NULL,
  namespace_key integer,
  blob_count    integer,
  da_height     bigint,
  size_bytes    bigint,
  occurred_at   timestamptz,
  observed_at   timestamptz NOT NULL,
  time_at       timestamptz NOT NULL,
  from_position bigint      NOT NULL,
  to_position   bigint,
  evidence_from_position bigint NOT NULL,
  loss_position bigint,
  gas_price     numeric,
  status_text   text,
  message       text
) WITH (fillfactor = 90);
COMMENT ON TABLE  submission               IS 'One attempt to post a batch, as a node''s ring showed it; or, with node_key null, one that only the blocks prove.';
COMMENT ON COLUMN submission.node_key      IS 'Null for RECONSTRUCTED.';
COMMENT ON COLUMN submission.sequence      IS '1, 2, 3 ... per node, in the order of entering the ring; null for RECONSTRUCTED.';
COMMENT ON COLUMN submission.lineage_key  IS 'Lineage (lineage_key) it belongs to; null while unknown.';
COMMENT ON COLUMN submission.ring          IS 'How often, at least, the ring had been emptied before.';
COMMENT ON COLUMN submission.status        IS 'Index into SUBMISSION_STATUSES of src/domain/submissions/submission-codes.ts.';
COMMENT ON COLUMN submission.kind          IS '0 HEADER, 1 DATA, 2 MIXED, 3 UNKNOWN.';
COMMENT ON COLUMN submission.evidence      IS '0 OBSERVED, 1 CONFIRMED, 2 UNCONFIRMED, 3 UNREFERENCED, 4 RECONSTRUCTED.';
COMMENT ON COLUMN submission.wild_time     IS 'The node''s time for it cannot be true (or is missing): time_at is observed_at.';
COMMENT ON COLUMN submission.unreadable    IS 'A cell of the row could not be read.';
COMMENT ON COLUMN submission.namespace_key IS 'Null where the row names none.';
COMMENT ON COLUMN submission.blob_count    IS 'Blobs in the batch; null where unreadable.';
COMMENT ON COLUMN submission.da_height     IS 'Null where there is none. Of an attempt that failed and is CONFIRMED all the same: where the blocks show it.';
COMMENT ON COLUMN submission.size_bytes    IS 'Bytes of the batch; null where unreadable.';
COMMENT ON COLUMN submission.occurred_at   IS 'The node''s clock; null for the zero time. All digits stand in the log.';
COMMENT ON COLUMN submission.observed_at   IS 'The observer''s clock at the look that showed it.';
COMMENT ON COLUMN submission.time_at       IS 'The time it counts under: occurred_at, or observed_at where that is null or wild; of RECONSTRUCTED that of the newest block it carried.';
COMMENT ON COLUMN submission.from_position IS 'The event that recorded it.';
COMMENT ON COLUMN submission.to_position   IS 'The event that withdrew it (only RECONSTRUCTED rows that a seen attempt explained later).';
COMMENT ON COLUMN submission.evidence_from_position IS 'The event that made its evidence known.';
COMMENT ON COLUMN submission.loss_position IS 'Of RECONSTRUCTED: the loss that it is part of; null where none holds it for certain.';
COMMENT ON COLUMN submission.gas_price     IS 'Null where the node does not know it.';
COMMENT ON COLUMN submission.status_text   IS 'The status as sent, where it is OTHER.';
COMMENT ON COLUMN submission.message       IS 'The node''s message.';
CREATE UNIQUE INDEX submission_sequence_key ON submission (node_key, sequence);
CREATE INDEX submission_position_idx ON submission (from_position, sequence);
CREATE INDEX submission_time_idx ON submission (time_at);
CREATE INDEX submission_da_height_idx ON submission (da_height, lineage_key) WHERE da_height IS NOT NULL;
CREATE INDEX submission_open_idx ON submission (lineage_key, da_height) WHERE evidence = 2;
CREATE INDEX submission_uncertain_idx ON submission (lineage_key, blob_count, size_bytes)
  WHERE evidence = 0 AND da_height IS NULL AND status IN (2, 3, 5, 6);
CREATE INDEX submission_unplaced_idx ON submission (lineage_key, da_height)
  WHERE evidence = 4 AND loss_position IS NULL AND to_position IS NULL;

CREATE TABLE submission_evidence_past (
  node_key      integer  NOT NULL,
  sequence      bigint   NOT NULL,
  evidence      smallint NOT NULL,
  from_position bigint   NOT NULL,
  to_position   bigint   NOT NULL,
  PRIMARY KEY (node_key, sequence, from_position)
);
COMMENT ON TABLE submission_evidence_past IS 'Evidence that a later event replaced, where it was not simply UNCONFIRMED from the row''s own position on.';

CREATE TABLE proposer (
  proposer_key     integer PRIMARY KEY,
  proposer_address bytea   NOT NULL,
  validator_hash   bytea   NOT NULL,
  version_block    bigint  NOT NULL,
  version_app      bigint  NOT NULL,
  UNIQUE (proposer_address, validator_hash, version_block, version_app)
);
COMMENT ON TABLE proposer IS 'What is equal in most headers of a chain, stored once.';

CREATE TABLE block (
  node_key          integer  NOT NULL,
  lineage_key       integer  NOT NULL,
  height            bigint   NOT NULL,
  time_ns           bigint   NOT NULL,
  header_da_height  bigint,
  data_da_height    bigint,
  tx_bytes          bigint   NOT NULL,
  from_position     bigint   NOT NULL,
  included_position bigint,
  proposer_key      integer  NOT NULL,
  tx_count          integer  NOT NULL,
  header_blob_bytes integer,
  data_blob_bytes   integer,
  checks            smallint NOT NULL,
  hash              bytea,
  last_header_hash  bytea,
  data_hash         bytea,
  app_hash          bytea,
  PRIMARY KEY (node_key, lineage_key, height)
) WITH (fillfactor = 90);
COMMENT ON TABLE  block                   IS 'Each block header that a node showed.';
COMMENT ON COLUMN block.time_ns           IS 'Unix nanoseconds, by the proposer.';
COMMENT ON COLUMN block.header_da_height  IS 'DA height that includes the header; null while none does.';
COMMENT ON COLUMN block.data_da_height    IS 'DA height that includes the data; repeats the header''s in a block without transactions.';
COMMENT ON COLUMN block.tx_bytes          IS 'Sum of the transactions'' bytes.';
COMMENT ON COLUMN block.included_position IS 'The later event that brought DA heights; null when they came with the block or are still missing.';
COMMENT ON COLUMN block.header_blob_bytes IS 'Bytes of its header blob on the DA layer; null under a scheme we don''t know.';
COMMENT ON COLUMN block.data_blob_bytes   IS 'Bytes of its data blob, 0 without transactions; null under a scheme we don''t know.';
COMMENT ON COLUMN block.checks            IS 'Two bits a check, from the lowest: link, hash, signature, proposer, data. 0 NOT_CHECKED, 1 PASSED, 2 FAILED.';
COMMENT ON COLUMN block.hash              IS 'Header hash, computed; null under a scheme we don''t know.';
COMMENT ON COLUMN block.last_header_hash  IS 'As sent; null where it is the hash of the block before, by the same node.';
COMMENT ON COLUMN block.data_hash         IS 'As sent; null where it is that of a block without transactions.';
COMMENT ON COLUMN block.app_hash          IS 'As sent; null where the node left it out.';
CREATE INDEX block_hash_idx ON block (substr(hash, 1, 8)) WHERE hash IS NOT NULL;
CREATE INDEX block_header_da_idx ON block (lineage_key, header_da_height) WHERE header_da_height IS NOT NULL;
CREATE INDEX block_data_da_idx ON block (lineage_key, data_da_height) WHERE data_da_height IS NOT NULL AND tx_count > 0;
CREATE INDEX block_time_idx ON block USING brin (time_ns);

CREATE TABLE inclusion_walk (
  node_key     integer NOT NULL,
  lineage_key  integer NOT NULL,
  first_height bigint  NOT NULL,
  last_height  bigint  NOT NULL,
  from_start   boolean NOT NULL,
  frontier     bigint  NOT NULL,
  header_from  bigint,
  header_to    bigint,
  data_from    bigint,
  data_to      bigint,
  gaps         int8multirange NOT NULL,
  header_holes int8multirange NOT NULL,
  data_holes   int8multirange NOT NULL,
  PRIMARY KEY (node_key, lineage_key)
) WITH (fillfactor = 50);
COMMENT ON TABLE  inclusion_walk              IS 'How far a node''s blocks are included, header and data, without one that is recorded and is not.';
COMMENT ON COLUMN inclusion_walk.first_height IS 'The lowest recorded height.';
COMMENT ON COLUMN inclusion_walk.last_height  IS 'The highest recorded height.';
COMMENT ON COLUMN inclusion_walk.from_start   IS 'That block is the first of its chain.';
COMMENT ON COLUMN inclusion_walk.frontier     IS 'The last height of the walk; first_height - 1 where none is included.';
COMMENT ON COLUMN inclusion_walk.header_from  IS 'DA height of the first header in it.';
COMMENT ON COLUMN inclusion_walk.header_to    IS 'Highest DA height of a header in it.';
COMMENT ON COLUMN inclusion_walk.data_from    IS 'DA height of the first data in it; blocks without transactions have none.';
COMMENT ON COLUMN inclusion_walk.data_to      IS 'Highest DA height of data in it.';
COMMENT ON COLUMN inclusion_walk.gaps         IS 'Heights that cannot be read any more and that the walk has yet to step over.';
COMMENT ON COLUMN inclusion_walk.header_holes IS 'DA heights for which a header that was stepped over may be missing.';
COMMENT ON COLUMN inclusion_walk.data_holes   IS 'The same for data.';

CREATE TABLE inclusion_open (
  lineage_key integer     NOT NULL,
  da_height   bigint      NOT NULL,
  changed_at  timestamptz NOT NULL,
  passed      boolean     NOT NULL,
  beyond      boolean     NOT NULL,
  PRIMARY KEY (lineage_key, da_height)
) WITH (fillfactor = 50);
COMMENT ON TABLE  inclusion_open            IS 'DA heights that blocks point to, with something that no attempt explains and that is not decided yet.';
COMMENT ON COLUMN inclusion_open.changed_at IS 'When a block was last seen to point to it, observer''s clock.';
COMMENT ON COLUMN inclusion_open.passed     IS 'Of headers or of data all blocks that can point to it are known: looks at the lists are missing.';
COMMENT ON COLUMN inclusion_open.beyond     IS 'Of headers or of data there may be blocks that point to it and are not known yet.';

CREATE TABLE loss (
  loss_position  bigint      NOT NULL,
  node_key       integer     NOT NULL,
  kind           text        NOT NULL,
  after_sequence bigint      NOT NULL,
  min_lost       bigint      NOT NULL,
  max_lost       bigint,
  likely_lost    bigint,
  shown_lost     bigint      NOT NULL DEFAULT 0,
  from_at        timestamptz,
  to_at          timestamptz NOT NULL,
  from_position  bigint      NOT NULL,
  to_position    bigint,
  PRIMARY KEY (loss_position, from_position)
);
COMMENT ON TABLE  loss                IS 'Rows that were in a ring, or may have been, and were never seen.';
COMMENT ON COLUMN loss.loss_position  IS 'Position of the event that stated it: its identity.';
COMMENT ON COLUMN loss.kind           IS 'OVERFLOW, RESET, AMBIGUOUS or BEFORE_START.';
COMMENT ON COLUMN loss.after_sequence IS 'The last recorded row before the hole; 0 for none.';
COMMENT ON COLUMN loss.min_lost       IS 'Proven; a later version may be higher when blocks show more.';
COMMENT ON COLUMN loss.max_lost       IS 'Proven, else null.';
COMMENT ON COLUMN loss.likely_lost    IS 'Estimate from the rate around it.';
COMMENT ON COLUMN loss.shown_lost     IS 'How many of them blocks show: the RECONSTRUCTED rows that name it.';
COMMENT ON COLUMN loss.from_at        IS 'The last look before the hole; null for BEFORE_START.';
COMMENT ON COLUMN loss.to_at          IS 'The look that found it.';
CREATE INDEX loss_node_idx ON loss (node_key, to_at);
