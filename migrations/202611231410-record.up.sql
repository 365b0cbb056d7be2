-- Read models of the record itself: nodes, submissions, blocks, losses. All of it can be rebuilt from the log.
-- from_position / to_position: the event that made a row known, and the later one that replaced it.

-- How far every read model is, by which rules, and what it could not take. A rebuild has tables of its own of these, too.
CREATE TABLE projection_checkpoint (
  name     text        PRIMARY KEY,
  position bigint      NOT NULL,
  version  integer     NOT NULL,
  moved_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);
COMMENT ON TABLE  projection_checkpoint          IS 'How far each projection has read the log.';
COMMENT ON COLUMN projection_checkpoint.name     IS 'The projection.';
COMMENT ON COLUMN projection_checkpoint.position IS 'Position of the last event that is in its tables.';
COMMENT ON COLUMN projection_checkpoint.version  IS 'Version of the rules by which its tables were made. A process with other rules may not write them.';
COMMENT ON COLUMN projection_checkpoint.moved_at IS 'When it moved on last, the database''s clock.';
CREATE FUNCTION refuse_other_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The read model % is of version %, not %', OLD.name, OLD.version, NEW.version
    USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
CREATE TRIGGER projection_checkpoint_keeps_its_version BEFORE UPDATE ON projection_checkpoint
  FOR EACH ROW WHEN (OLD.version IS DISTINCT FROM NEW.version) EXECUTE FUNCTION refuse_other_version();

CREATE TABLE projection_fault (
  projection text        NOT NULL,
  position   bigint      NOT NULL,
  version    integer     NOT NULL,
  stream     text        NOT NULL,
  type       text        NOT NULL,
  error      text        NOT NULL,
  since      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (projection, position)
);
COMMENT ON TABLE  projection_fault            IS 'Events that a projection could not take because of what is in them, and went on without.';
COMMENT ON COLUMN projection_fault.projection IS 'Name of the projection.';
COMMENT ON COLUMN projection_fault.position   IS 'Position of the event.';
COMMENT ON COLUMN projection_fault.version    IS 'Version of the projection''s rules that failed at it.';
COMMENT ON COLUMN projection_fault.stream     IS 'Stream of the event. A stream with ten faults is set aside whole.';
COMMENT ON COLUMN projection_fault.type       IS 'Type of the event.';
COMMENT ON COLUMN projection_fault.error      IS 'What the projection said of it.';
COMMENT ON COLUMN projection_fault.since      IS 'When it was set aside, the database''s clock.';
CREATE INDEX projection_fault_stream_idx ON projection_fault (projection, stream);

-- Whoever reads submissions, blocks and losses again and again asks for what has changed since. Neither a position nor a time
-- of the log tells: a row may be decided long after its event. So each write of a row takes a number, which the database gives
-- out itself, one for all writes of a transaction. It does so under the lock of the projection's checkpoint, so that the order
-- of the numbers is that of the commits.
CREATE TABLE record_change (
  change bigint      PRIMARY KEY,
  at     timestamptz NOT NULL
);
COMMENT ON TABLE  record_change        IS 'When each change number of the record was given out: one row for a transaction that wrote a submission, block or loss; of more than five weeks ago the last one of each hour.';
COMMENT ON COLUMN record_change.change IS 'The number. Later transactions have larger ones, also those after a rebuild.';
COMMENT ON COLUMN record_change.at     IS 'The database''s clock, and never before the number before; of what a rebuild wrote, the time of its swap.';
CREATE INDEX record_change_at_idx ON record_change (at);

-- A trigger, since no statement may forget it. Inserted rows but the first of a transaction have the number by their column's default:
-- PL/pgSQL for each row would cost an eighth of inserting it.
CREATE FUNCTION number_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  given bigint := nullif(current_setting('hindsight.change', true), '')::bigint;
BEGIN
  IF given IS NULL THEN
    INSERT INTO record_change (change, at)
    SELECT coalesce(max(change), 0) + 1, greatest(clock_timestamp(), max(at) + interval '1 microsecond')
      FROM record_change
    RETURNING change INTO given;
    PERFORM set_config('hindsight.change', given::text, true);
  END IF;
  NEW.change := given;
  RETURN NEW;
END $$;

-- Nodes, and what tells them and their chains apart.
CREATE TABLE node (
  node_key              integer     PRIMARY KEY,
  id                    text        NOT NULL UNIQUE,
  url                   text        NOT NULL,
  status_url            text,
  chain_id              text,
  aggregator            boolean,
  shape                 text,
  service_prefix        text,
  header_namespace      text,
  data_namespace        text,
  lineage_key           integer,
  head                  bigint,
  oldest                bigint,
  inclusion_frontier    bigint,
  da_included           bigint,
  last_submitted_header bigint,
  last_submitted_data   bigint,
  clock_offset_ms       bigint,
  submission_count      bigint      NOT NULL DEFAULT 0,
  block_count           bigint      NOT NULL DEFAULT 0,
  last_success_at       timestamptz,
  last_seen_at          timestamptz,
  retired               boolean     NOT NULL DEFAULT false,
  list_state            text,
  list_state_at         timestamptz,
  list_seen_at          timestamptz,
  list_looked_at        timestamptz,
  header_after          bigint      NOT NULL DEFAULT 0,
  header_da             bigint,
  data_after            bigint      NOT NULL DEFAULT 0,
  data_da               bigint,
  from_position         bigint      NOT NULL,
  to_position           bigint
) WITH (fillfactor = 50);
COMMENT ON TABLE  node                       IS 'Each monitored node and its present state.';
COMMENT ON COLUMN node.node_key              IS 'Short key, counted in the order of first appearance in the log.';
COMMENT ON COLUMN node.id                    IS 'The id from the settings.';
COMMENT ON COLUMN node.url                   IS 'Base address of its RPC server.';
COMMENT ON COLUMN node.status_url            IS 'Address of its status query, where configured.';
COMMENT ON COLUMN node.chain_id              IS 'Null until it has said its chain (or the settings did).';
COMMENT ON COLUMN node.aggregator            IS 'Whether it submits to the DA layer; null while unknown.';
COMMENT ON COLUMN node.shape                 IS 'SPEC or EV_NODE: which form its answers take.';
COMMENT ON COLUMN node.service_prefix        IS 'Prefix of its StoreService, such as evnode.v1.';
COMMENT ON COLUMN node.header_namespace      IS '58 hex digits.';
COMMENT ON COLUMN node.data_namespace        IS '58 hex digits; equal to header_namespace when both share one.';
COMMENT ON COLUMN node.lineage_key           IS 'The lineage that its latest block belongs to.';
COMMENT ON COLUMN node.head                  IS 'Its newest height.';
COMMENT ON COLUMN node.oldest                IS 'The oldest height it still has.';
COMMENT ON COLUMN node.inclusion_frontier    IS 'The height up to which every recorded block is included, header and data; null while none is.';
COMMENT ON COLUMN node.da_included           IS 'Its own metadata d.';
COMMENT ON COLUMN node.last_submitted_header IS 'Its own metadata last-submitted-header-height.';
COMMENT ON COLUMN node.last_submitted_data   IS 'Its own metadata last-submitted-data-height.';
COMMENT ON COLUMN node.clock_offset_ms       IS 'Its clock minus the observer''s, to about a second.';
COMMENT ON COLUMN node.submission_count      IS 'Rows recorded from its ring.';
COMMENT ON COLUMN node.block_count           IS 'Blocks recorded from it.';
COMMENT ON COLUMN node.last_success_at       IS 'Time of its newest successful submission (as in submission.time_at).';
COMMENT ON COLUMN node.last_seen_at          IS 'The last successful look at any of its subjects, observer''s clock.';
COMMENT ON COLUMN node.retired               IS 'No longer in the settings.';
COMMENT ON COLUMN node.list_state            IS 'What its list of submissions was when last looked at: a SourceState; null before the first look.';
COMMENT ON COLUMN node.list_state_at         IS 'When the list was found to be so, observer''s clock.';
COMMENT ON COLUMN node.list_seen_at          IS 'The last look at its list whose rows are all recorded, observer''s clock.';
COMMENT ON COLUMN node.list_looked_at        IS 'The last look at its list, whatever came of it, observer''s clock.';
COMMENT ON COLUMN node.header_after          IS 'The last success of its list that holds headers and tells its DA height; 0 for none.';
COMMENT ON COLUMN node.header_da             IS 'That DA height.';
COMMENT ON COLUMN node.data_after            IS 'The same of data.';
COMMENT ON COLUMN node.data_da               IS 'That DA height.';
COMMENT ON COLUMN node.from_position         IS 'The event that made it known.';
COMMENT ON COLUMN node.to_position           IS 'The event that retired it.';

-- Which rows another name of their node concerns, and which nodes have named a chain. Only names that nodes and settings say are kept:
-- after blocks a row has the lineage of these.
CREATE TABLE node_chain (
  node_key      integer NOT NULL,
  from_position bigint  NOT NULL,
  chain_id      text    NOT NULL,
  told          boolean NOT NULL,
  PRIMARY KEY (node_key, from_position)
);
COMMENT ON TABLE  node_chain               IS 'Chains that a node named: what its rows without a lineage belong to.';
COMMENT ON COLUMN node_chain.node_key      IS 'The node.';
COMMENT ON COLUMN node_chain.from_position IS 'The event from which on; 0 of the first one, which rows from before it belong to as well.';
COMMENT ON COLUMN node_chain.chain_id      IS 'The chain.';
COMMENT ON COLUMN node_chain.told          IS 'Whether the node itself said so; else the settings did, which counts until it says one.';

CREATE TABLE namespace (
  namespace_key integer PRIMARY KEY,
  namespace     text    NOT NULL UNIQUE
);
COMMENT ON TABLE  namespace               IS 'DA namespaces, 58 hex digits, lower case; `other` stands in statistics for those of a node beyond its first 100.';
COMMENT ON COLUMN namespace.namespace_key IS 'Its number.';
COMMENT ON COLUMN namespace.namespace     IS '58 hex digits, lower case; or other.';

-- A node can make up any number of namespaces, each of which had rows of its own in every bucket: the first 100 of each have.
CREATE TABLE node_namespace (
  namespace_key integer NOT NULL,
  node_key      integer NOT NULL,
  from_position bigint  NOT NULL,
  PRIMARY KEY (namespace_key, node_key)
);
COMMENT ON TABLE  node_namespace               IS 'The namespaces of a node that statistics tell by name: the first 100 that it showed or told. `other` is among them once it has more.';
COMMENT ON COLUMN node_namespace.namespace_key IS 'The namespace.';
COMMENT ON COLUMN node_namespace.node_key      IS 'The node.';
COMMENT ON COLUMN node_namespace.from_position IS 'Position of the event that showed it first.';

CREATE TABLE lineage (
  lineage_key   integer PRIMARY KEY,
  chain_id      text    NOT NULL,
  n             integer NOT NULL,
  from_position bigint  NOT NULL,
  UNIQUE (chain_id, n)
);
COMMENT ON TABLE  lineage               IS 'One history of a chain. A proven difference opens the next one.';
COMMENT ON COLUMN lineage.lineage_key   IS 'Its number.';
COMMENT ON COLUMN lineage.chain_id      IS 'The chain.';
COMMENT ON COLUMN lineage.n             IS 'Counts from 1 within the chain.';
COMMENT ON COLUMN lineage.from_position IS 'Position of the event that opened it.';

-- Submissions.
CREATE TABLE submission (
  node_key               integer,
  sequence               bigint,
  lineage_key            integer,
  ring                   integer,
  status                 smallint    NOT NULL,
  kind                   smallint    NOT NULL,
  evidence               smallint    NOT NULL,
  wild_time              boolean     NOT NULL,
  unreadable             boolean     NOT NULL,
  namespace_key          integer,
  blob_count             integer,
  da_height              bigint,
  size_bytes             bigint,
  shares                 integer,
  signed_shares          integer,
  block_from             bigint,
  block_to               bigint,
  occurred_at            timestamptz,
  observed_at            timestamptz NOT NULL,
  time_at                timestamptz NOT NULL,
  first_attempt_at       timestamptz,
  from_position          bigint      NOT NULL,
  to_position            bigint,
  evidence_from_position bigint      NOT NULL,
  loss_position          bigint,
  change                 bigint      NOT NULL DEFAULT nullif(current_setting('hindsight.change', true), '')::bigint,
  digest                 bigint,
  gas_price              numeric,
  status_text            text,
  message                text,
  message_bytes          bigint,
  told_lineage_key       integer,
  header_after           bigint,
  data_after             bigint,
  shown_at               timestamptz,
  possible               integer,
  chain_id               text,
  counts_for_chain       boolean     NOT NULL DEFAULT true
) WITH (fillfactor = 90);
COMMENT ON TABLE  submission                        IS 'One attempt to post a batch, as a node''s ring showed it; or, with node_key null, blobs that only the blocks prove.';
COMMENT ON COLUMN submission.node_key               IS 'Null for RECONSTRUCTED and UNDECIDED.';
COMMENT ON COLUMN submission.sequence               IS '1, 2, 3 ... per node, in the order of entering the ring; null for RECONSTRUCTED and UNDECIDED.';
COMMENT ON COLUMN submission.lineage_key            IS 'Lineage (lineage_key) it belongs to; null while unknown.';
COMMENT ON COLUMN submission.chain_id               IS 'The chain of its lineage; without one the chain that its node had named last when it was recorded, or else the first that it named. Null while that is none.';
COMMENT ON COLUMN submission.ring                   IS 'How often, at least, the ring had been emptied before.';
COMMENT ON COLUMN submission.status                 IS 'Index into SUBMISSION_STATUSES of src/domain/submissions/submission-codes.ts.';
COMMENT ON COLUMN submission.kind                   IS '0 HEADER, 1 DATA, 2 MIXED, 3 UNKNOWN.';
COMMENT ON COLUMN submission.evidence               IS '0 OBSERVED, 1 CONFIRMED, 2 UNCONFIRMED, 3 UNREFERENCED, 4 RECONSTRUCTED, 5 UNDECIDED.';
COMMENT ON COLUMN submission.wild_time              IS 'The node''s time for it cannot be true (or is missing): time_at is observed_at.';
COMMENT ON COLUMN submission.unreadable             IS 'A cell of the row could not be read.';
COMMENT ON COLUMN submission.namespace_key          IS 'Null where the row names none.';
COMMENT ON COLUMN submission.blob_count             IS 'Blobs in the batch; null where unreadable.';
COMMENT ON COLUMN submission.da_height              IS 'Null where there is none. Of an attempt that failed and is CONFIRMED all the same: where the blocks show it.';
COMMENT ON COLUMN submission.size_bytes             IS 'Bytes of the batch; null where unreadable.';
COMMENT ON COLUMN submission.shares                 IS 'Shares of its blobs on Celestia, without signer; null where its blobs'' sizes are not known one by one.';
COMMENT ON COLUMN submission.signed_shares          IS 'The same for blobs that name their signer.';
COMMENT ON COLUMN submission.block_from             IS 'Height of the first block it carried, where its evidence names them one by one.';
COMMENT ON COLUMN submission.block_to               IS 'Height of the last one; between them it carried every block (for data: every one with transactions) of its DA height.';
COMMENT ON COLUMN submission.occurred_at            IS 'The node''s clock; null for the zero time. All digits stand in the log.';
COMMENT ON COLUMN submission.observed_at            IS 'The observer''s clock at the look that showed it.';
COMMENT ON COLUMN submission.time_at                IS 'The time it counts under: occurred_at, or observed_at where that is null or wild; of RECONSTRUCTED and UNDECIDED that of the newest block carried.';
COMMENT ON COLUMN submission.first_attempt_at       IS 'Of a success after failures: time_at of the first failed attempt of its batch. Null without one, or where rows in between may have been missed.';
COMMENT ON COLUMN submission.from_position          IS 'The event that recorded it.';
COMMENT ON COLUMN submission.to_position            IS 'The event that withdrew it (only RECONSTRUCTED and UNDECIDED rows, of which something else was decided later).';
COMMENT ON COLUMN submission.evidence_from_position IS 'The event that last changed its evidence, kind, lineage, chain, DA height, carried blobs or whether its chain counts it; what they were before stands in submission_evidence_past.';
COMMENT ON COLUMN submission.loss_position          IS 'Of RECONSTRUCTED: the loss that it is part of; null where none holds it for certain.';
COMMENT ON COLUMN submission.change                 IS 'Number of the transaction that wrote the row last, see record_change.';
COMMENT ON COLUMN submission.digest                 IS 'First 64 bits of the SHA-256 of the row in canonical JSON: tells equal rows of two endpoints of one node. Null for RECONSTRUCTED and UNDECIDED.';
COMMENT ON COLUMN submission.gas_price              IS 'Null where the node does not know it.';
COMMENT ON COLUMN submission.status_text            IS 'The status as sent, where it is OTHER.';
COMMENT ON COLUMN submission.message                IS 'The node''s message, or the first 4,000 characters of it and "… (cut)".';
COMMENT ON COLUMN submission.message_bytes          IS 'Bytes of the message where the column message holds only its start; null where it holds all that the log has.';
COMMENT ON COLUMN submission.told_lineage_key       IS 'The history that its node had shown last when it was recorded, or else the first that it showed.';
COMMENT ON COLUMN submission.header_after           IS 'Of a row that may have landed and tells no DA height: the last success that is known to hold headers and tells one, before it in its list; 0 for none.';
COMMENT ON COLUMN submission.data_after             IS 'The same of data.';
COMMENT ON COLUMN submission.shown_at               IS 'Of a failure that landed: when blocks had shown it.';
COMMENT ON COLUMN submission.possible               IS 'Of UNDECIDED: how many attempts may be it.';
COMMENT ON COLUMN submission.counts_for_chain       IS 'Whether its chain counts it. False: another node had shown the same attempt before, as a row that is equal in every field.';
-- Each version of a row is written into all indexes that it enters, so few may be for all rows: these six, and the next one once,
-- while a success is UNCONFIRMED. The others are of rows that are rare.
CREATE UNIQUE INDEX submission_sequence_key ON submission (node_key, sequence);
CREATE INDEX submission_position_idx ON submission (from_position, sequence);
CREATE INDEX submission_time_idx ON submission (time_at);
CREATE INDEX submission_node_time_idx ON submission (node_key, time_at, digest);
CREATE INDEX submission_change_idx ON submission (change);
CREATE INDEX submission_da_height_idx ON submission (da_height, lineage_key) WHERE da_height IS NOT NULL;
CREATE INDEX submission_open_idx ON submission (lineage_key, da_height) WHERE evidence = 2;
CREATE INDEX submission_observed_idx ON submission (lineage_key, da_height) WHERE evidence = 0 AND status = 0 AND da_height IS NOT NULL;
CREATE INDEX submission_header_bracket_idx ON submission (node_key, header_after, sequence) WHERE header_after IS NOT NULL;
CREATE INDEX submission_data_bracket_idx ON submission (node_key, data_after, sequence) WHERE data_after IS NOT NULL;
CREATE INDEX submission_group_idx ON submission (lineage_key, da_height) WHERE node_key IS NULL AND to_position IS NULL;
CREATE INDEX submission_landed_idx ON submission (lineage_key, da_height) WHERE status <> 0 AND da_height IS NOT NULL;
CREATE INDEX submission_untold_idx ON submission (node_key, sequence) WHERE told_lineage_key IS NULL AND node_key IS NOT NULL;
CREATE INDEX submission_wild_idx ON submission (node_key, occurred_at, digest) WHERE wild_time AND occurred_at IS NOT NULL;
-- Lists find rare rows by an index of them, instead of walking the whole list: attempts that failed in one way, successes
-- that no block points to, rows that no node showed, kinds that few have. What is common is found by the list itself.
CREATE INDEX submission_status_idx ON submission (status, from_position, sequence) WHERE status <> 0;
CREATE INDEX submission_evidence_idx ON submission (evidence, from_position, sequence) WHERE evidence IN (3, 4, 5);
CREATE INDEX submission_rare_kind_idx ON submission (kind, from_position, sequence) WHERE kind IN (2, 3);
-- Rows that what is learnt of their node later may concern.
CREATE INDEX submission_kindless_idx ON submission (node_key, sequence) WHERE kind = 3 AND node_key IS NOT NULL;
-- Messages of failed attempts by their parts, where the server knows trigrams. It leaves out successes, as they have none.
DO $$
DECLARE
  place text := (SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_trgm');
BEGIN
  IF place IS NULL THEN RETURN; END IF;
  EXECUTE format('CREATE INDEX submission_message_idx ON submission USING gin (message %I.gin_trgm_ops)
                   WHERE status <> 0 AND message IS NOT NULL', place);
END $$;
-- The few successes that have a message all the same: whoever asks for all rows with a message must know of them. As a sum (0: a
-- success with a message), since of status and message by themselves the planner expects many.
CREATE INDEX submission_success_message_idx ON submission (from_position, sequence) WHERE status + (message IS NULL)::int = 0;
CREATE TRIGGER submission_takes_a_number BEFORE INSERT OR UPDATE ON submission FOR EACH ROW
  WHEN (coalesce(NEW.change <> nullif(current_setting('hindsight.change', true), '')::bigint, true)) EXECUTE FUNCTION number_change();

CREATE TABLE submission_evidence_past (
  node_key      integer  NOT NULL,
  sequence      bigint   NOT NULL,
  from_position bigint   NOT NULL,
  to_position   bigint   NOT NULL,
  evidence      smallint NOT NULL,
  lineage_key   integer,
  kind          smallint NOT NULL,
  da_height     bigint,
  block_from    bigint,
  block_to      bigint,
  shares        integer,
  signed_shares integer,
  chain_id      text,
  counts_for_chain boolean NOT NULL DEFAULT true,
  PRIMARY KEY (node_key, sequence, from_position)
);
COMMENT ON TABLE  submission_evidence_past               IS 'What was decided of a submission before a later event decided otherwise. Not here: that it was UNCONFIRMED from its own event on, and nothing else has changed.';
COMMENT ON COLUMN submission_evidence_past.node_key      IS 'The node whose row it is.';
COMMENT ON COLUMN submission_evidence_past.sequence      IS 'The row.';
COMMENT ON COLUMN submission_evidence_past.from_position IS 'Position of the event from which on it was known.';
COMMENT ON COLUMN submission_evidence_past.to_position   IS 'Position of the event that replaced it.';
COMMENT ON COLUMN submission_evidence_past.evidence      IS 'The evidence, as in submission.';
COMMENT ON COLUMN submission_evidence_past.lineage_key   IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.chain_id      IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.counts_for_chain IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.kind          IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.da_height     IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.block_from    IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.block_to      IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.shares        IS 'As in submission.';
COMMENT ON COLUMN submission_evidence_past.signed_shares IS 'As in submission.';
-- What was UNREFERENCED once.
CREATE INDEX submission_evidence_past_rare_idx ON submission_evidence_past (node_key, sequence) WHERE evidence = 3;

CREATE TABLE submission_run (
  node_key         integer     NOT NULL,
  namespace_key    integer     NOT NULL,
  first_attempt_at timestamptz NOT NULL,
  PRIMARY KEY (node_key, namespace_key)
);
COMMENT ON TABLE  submission_run                  IS 'Batches that have failed and not succeeded yet.';
COMMENT ON COLUMN submission_run.node_key         IS 'The node that tries it.';
COMMENT ON COLUMN submission_run.namespace_key    IS '0 where the rows name no namespace.';
COMMENT ON COLUMN submission_run.first_attempt_at IS 'time_at of the first failed attempt.';

-- A list is in the order of its rows, and their times and DA heights are nearly in it, too, but not quite: a row may be shown late.
-- So of each stretch of a list is kept between which times, positions and DA heights its rows lie; whoever looks for rows of a past
-- steps over the stretches that have none instead of walking over their rows. Rows keep their place and time, and DA heights of
-- attempts that failed may become known later: so a span only ever becomes wider.
CREATE TABLE submission_span (
  node_key        integer     NOT NULL,
  span            bigint      NOT NULL,
  first_time      timestamptz NOT NULL,
  last_time       timestamptz NOT NULL,
  first_position  bigint      NOT NULL,
  first_da_height bigint,
  last_da_height  bigint,
  PRIMARY KEY (node_key, span)
) WITH (fillfactor = 50);
COMMENT ON TABLE  submission_span                 IS 'Of each 4,096 places of a list of submissions: when and where its rows lie at most.';
COMMENT ON COLUMN submission_span.node_key        IS 'The node whose list it is; 0: that of all.';
COMMENT ON COLUMN submission_span.span            IS 'The sequence of its rows divided by 4,096; in the list of all, their from_position.';
COMMENT ON COLUMN submission_span.first_time      IS 'No row of it has an earlier time_at.';
COMMENT ON COLUMN submission_span.last_time       IS 'No row of it has a later time_at.';
COMMENT ON COLUMN submission_span.first_position  IS 'No row of it has a lower from_position.';
COMMENT ON COLUMN submission_span.first_da_height IS 'No row of it has a lower da_height; null where none has one.';
COMMENT ON COLUMN submission_span.last_da_height  IS 'No row of it has a higher da_height; null where none has one.';

-- Triggers, since no statement may forget it.
CREATE FUNCTION widen_submission_spans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO submission_span AS known (node_key, span, first_time, last_time, first_position, first_da_height, last_da_height)
  SELECT coalesce(node_key, 0), coalesce(own, shared), min(time_at), max(time_at), min(from_position), min(da_height), max(da_height)
    FROM (SELECT *, sequence >> 12 AS own, from_position >> 12 AS shared FROM added) s
   GROUP BY GROUPING SETS ((node_key, own), (shared))
  HAVING GROUPING(shared) = 0 OR node_key IS NOT NULL
  ON CONFLICT (node_key, span) DO UPDATE
     SET first_time = least(known.first_time, excluded.first_time), last_time = greatest(known.last_time, excluded.last_time),
         first_position = least(known.first_position, excluded.first_position),
         first_da_height = least(known.first_da_height, excluded.first_da_height),
         last_da_height = greatest(known.last_da_height, excluded.last_da_height)
   WHERE excluded.first_time < known.first_time OR excluded.last_time > known.last_time
      OR excluded.first_position < known.first_position
      OR excluded.first_da_height < coalesce(known.first_da_height, 9223372036854775807)
      OR excluded.last_da_height > coalesce(known.last_da_height, -1);
  RETURN NULL;
END $$;
CREATE TRIGGER submission_widens_spans AFTER INSERT ON submission
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION widen_submission_spans();

CREATE FUNCTION widen_submission_heights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE submission_span z
     SET first_da_height = least(z.first_da_height, NEW.da_height), last_da_height = greatest(z.last_da_height, NEW.da_height)
    FROM (VALUES (0, NEW.from_position), (NEW.node_key, NEW.sequence)) list (node_key, place)
   WHERE z.node_key = list.node_key AND z.span = list.place >> 12
     AND NOT coalesce(NEW.da_height BETWEEN z.first_da_height AND z.last_da_height, false);
  RETURN NULL;
END $$;
CREATE TRIGGER submission_widens_spans_later AFTER UPDATE ON submission FOR EACH ROW
  WHEN (NEW.da_height IS NOT NULL AND NEW.da_height IS DISTINCT FROM OLD.da_height) EXECUTE FUNCTION widen_submission_heights();

-- Blocks.
CREATE TABLE proposer (
  proposer_key     integer PRIMARY KEY,
  proposer_address bytea   NOT NULL,
  validator_hash   bytea   NOT NULL,
  version_block    bigint  NOT NULL,
  version_app      bigint  NOT NULL,
  UNIQUE (proposer_address, validator_hash, version_block, version_app)
);
COMMENT ON TABLE  proposer                  IS 'What is equal in most headers of a chain, stored once.';
COMMENT ON COLUMN proposer.proposer_key     IS 'Its number.';
COMMENT ON COLUMN proposer.proposer_address IS 'As in the header.';
COMMENT ON COLUMN proposer.validator_hash   IS 'As in the header.';
COMMENT ON COLUMN proposer.version_block    IS 'As in the header.';
COMMENT ON COLUMN proposer.version_app      IS 'As in the header.';

CREATE TABLE block (
  node_key                 integer  NOT NULL,
  lineage_key              integer  NOT NULL,
  height                   bigint   NOT NULL,
  time_ns                  bigint   NOT NULL,
  header_da_height         bigint,
  data_da_height           bigint,
  header_included_position bigint,
  data_included_position   bigint,
  tx_bytes                 bigint   NOT NULL,
  from_position            bigint   NOT NULL,
  signed_mark              bigint,
  change                   bigint   NOT NULL DEFAULT nullif(current_setting('hindsight.change', true), '')::bigint,
  proposer_key             integer  NOT NULL,
  tx_count                 integer  NOT NULL,
  header_blob_bytes        integer,
  data_blob_bytes          integer,
  checks                   smallint NOT NULL,
  hash                     bytea,
  last_header_hash         bytea,
  data_hash                bytea,
  app_hash                 bytea,
  PRIMARY KEY (node_key, lineage_key, height)
) WITH (fillfactor = 90);
COMMENT ON TABLE  block                          IS 'Each block header that a node showed.';
COMMENT ON COLUMN block.node_key                 IS 'The node that showed it.';
COMMENT ON COLUMN block.lineage_key              IS 'The history of the chain that it is of.';
COMMENT ON COLUMN block.height                   IS 'Height in the chain.';
COMMENT ON COLUMN block.time_ns                  IS 'Unix nanoseconds, by the proposer.';
COMMENT ON COLUMN block.header_da_height         IS 'DA height that includes the header; null while none does.';
COMMENT ON COLUMN block.data_da_height           IS 'DA height that includes the data; repeats the header''s in a block without transactions.';
COMMENT ON COLUMN block.header_included_position IS 'The later event that brought the header''s DA height; null when it came with the block or is still missing.';
COMMENT ON COLUMN block.data_included_position   IS 'The same for the data''s.';
COMMENT ON COLUMN block.tx_bytes                 IS 'Sum of the transactions'' bytes.';
COMMENT ON COLUMN block.from_position            IS 'Position of the event that showed it.';
COMMENT ON COLUMN block.signed_mark              IS 'First 8 bytes of the hash by which the node''s own index knows it; null where that is not known.';
COMMENT ON COLUMN block.change                   IS 'Number of the transaction that wrote the row last, see record_change.';
COMMENT ON COLUMN block.proposer_key             IS 'What its header has in common with most of its chain.';
COMMENT ON COLUMN block.tx_count                 IS 'Transactions in it.';
COMMENT ON COLUMN block.header_blob_bytes        IS 'Bytes of its header blob on the DA layer; null under a scheme we don''t know.';
COMMENT ON COLUMN block.data_blob_bytes          IS 'Bytes of its data blob, 0 without transactions; null under a scheme we don''t know.';
COMMENT ON COLUMN block.checks                   IS 'Two bits a check, from the lowest: link, hash, signature, proposer, data. 0 NOT_CHECKED, 1 PASSED, 2 FAILED.';
COMMENT ON COLUMN block.hash                     IS 'Header hash, computed; null under a scheme we don''t know.';
COMMENT ON COLUMN block.last_header_hash         IS 'As sent; null where it is the hash of the block before, by the same node.';
COMMENT ON COLUMN block.data_hash                IS 'As sent; null where it is that of a block without transactions.';
COMMENT ON COLUMN block.app_hash                 IS 'As sent; null where the node left it out.';
CREATE INDEX block_change_idx ON block (change);
CREATE INDEX block_hash_idx ON block (substr(hash, 1, 8)) WHERE hash IS NOT NULL;
CREATE INDEX block_signed_mark_idx ON block (signed_mark) WHERE signed_mark IS NOT NULL;
CREATE INDEX block_header_da_idx ON block (lineage_key, header_da_height) WHERE header_da_height IS NOT NULL;
CREATE INDEX block_data_da_idx ON block (lineage_key, data_da_height) WHERE data_da_height IS NOT NULL AND tx_count > 0;
CREATE INDEX block_time_idx ON block USING brin (time_ns);
-- A quarter hour is read by node: block_time_idx would find whole ranges of pages for it, of every node.
CREATE INDEX block_node_time_idx ON block (node_key, time_ns);
-- The next block that has data to post is found at once, however many without transactions lie before it.
CREATE INDEX block_data_idx ON block (node_key, lineage_key, height) WHERE tx_count > 0;
-- The few that are not included, for lists.
CREATE INDEX block_pending_idx ON block (node_key, lineage_key, height)
  WHERE header_da_height IS NULL OR data_da_height IS NULL;
CREATE TRIGGER block_takes_a_number BEFORE INSERT OR UPDATE ON block FOR EACH ROW
  WHEN (coalesce(NEW.change <> nullif(current_setting('hindsight.change', true), '')::bigint, true)) EXECUTE FUNCTION number_change();

-- As submission_span. Which blocks were not included at some time is asked of years in which nearly all were, within minutes: so it is
-- also kept between which positions blocks became included. An inclusion is never taken back, so these, too, only become wider.
CREATE TABLE block_span (
  node_key                integer NOT NULL,
  lineage_key             integer NOT NULL,
  span                    bigint  NOT NULL,
  first_time_ns           bigint  NOT NULL,
  last_time_ns            bigint  NOT NULL,
  first_position          bigint  NOT NULL,
  first_included_position bigint,
  last_included_position  bigint,
  PRIMARY KEY (node_key, lineage_key, span)
) WITH (fillfactor = 50);
COMMENT ON TABLE  block_span                         IS 'Of each 4,096 heights of a node and lineage: when and from where on its blocks lie at most.';
COMMENT ON COLUMN block_span.node_key                IS 'The node that showed them.';
COMMENT ON COLUMN block_span.lineage_key             IS 'The history of the chain that they are of.';
COMMENT ON COLUMN block_span.span                    IS 'Their height divided by 4,096.';
COMMENT ON COLUMN block_span.first_time_ns           IS 'None of them has an earlier time_ns.';
COMMENT ON COLUMN block_span.last_time_ns            IS 'None of them has a later time_ns.';
COMMENT ON COLUMN block_span.first_position          IS 'None of them has a lower from_position.';
COMMENT ON COLUMN block_span.first_included_position IS 'None of them was included, header and data, before this position; null where none is.';
COMMENT ON COLUMN block_span.last_included_position  IS 'None of them was included behind this position; null where none is.';

-- As known-at.ts has it: what no later event included came with the block. The last position is rounded up, so that it seldom changes.
CREATE FUNCTION widen_block_spans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO block_span AS known (node_key, lineage_key, span, first_time_ns, last_time_ns, first_position,
                                   first_included_position, last_included_position)
  SELECT node_key, lineage_key, height >> 12, min(time_ns), max(time_ns), min(from_position), min(included), max(included) | 4095
    FROM (SELECT *, CASE WHEN header_da_height IS NOT NULL AND data_da_height IS NOT NULL
                         THEN coalesce(greatest(header_included_position, data_included_position), from_position) END AS included
            FROM added) b
   GROUP BY 1, 2, 3
  ON CONFLICT (node_key, lineage_key, span) DO UPDATE
     SET first_time_ns = least(known.first_time_ns, excluded.first_time_ns),
         last_time_ns = greatest(known.last_time_ns, excluded.last_time_ns),
         first_position = least(known.first_position, excluded.first_position),
         first_included_position = least(known.first_included_position, excluded.first_included_position),
         last_included_position = greatest(known.last_included_position, excluded.last_included_position)
   WHERE excluded.first_time_ns < known.first_time_ns OR excluded.last_time_ns > known.last_time_ns
      OR excluded.first_position < known.first_position
      OR excluded.first_included_position < coalesce(known.first_included_position, 9223372036854775807)
      OR excluded.last_included_position > coalesce(known.last_included_position, -1);
  RETURN NULL;
END $$;
CREATE TRIGGER block_widens_spans AFTER INSERT ON block
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION widen_block_spans();
CREATE TRIGGER block_widens_spans_later AFTER UPDATE ON block
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION widen_block_spans();

CREATE TABLE inclusion_walk (
  node_key     integer        NOT NULL,
  lineage_key  integer        NOT NULL,
  first_height bigint         NOT NULL,
  last_height  bigint         NOT NULL,
  from_start   boolean        NOT NULL,
  frontier     bigint         NOT NULL,
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
COMMENT ON COLUMN inclusion_walk.node_key     IS 'The node whose blocks are walked.';
COMMENT ON COLUMN inclusion_walk.lineage_key  IS 'The history of the chain.';
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

CREATE TABLE bracket (
  node_key            integer  NOT NULL,
  kind                smallint NOT NULL,
  after_sequence      bigint   NOT NULL,
  da_from             bigint,
  da_to               bigint,
  from_position       bigint   NOT NULL,
  closed_position     bigint,
  loss_position       bigint,
  other_loss_position bigint,
  PRIMARY KEY (node_key, kind, after_sequence)
);
COMMENT ON TABLE  bracket                     IS 'Part of a node''s list between two successes of a kind that tell their DA heights, where rows stand that tell none, or that have holes.';
COMMENT ON COLUMN bracket.node_key            IS 'The node whose list it is.';
COMMENT ON COLUMN bracket.kind                IS '0 HEADER, 1 DATA.';
COMMENT ON COLUMN bracket.after_sequence      IS 'Sequence of the success before it; 0 for none.';
COMMENT ON COLUMN bracket.da_from             IS 'DA height of the success before it; null for none.';
COMMENT ON COLUMN bracket.da_to               IS 'DA height of the success behind it; null where there is none yet.';
COMMENT ON COLUMN bracket.from_position       IS 'The event that recorded the first such row, or hole.';
COMMENT ON COLUMN bracket.closed_position     IS 'The event that recorded the success behind it.';
COMMENT ON COLUMN bracket.loss_position       IS 'The first hole in it (loss_position); null for none.';
COMMENT ON COLUMN bracket.other_loss_position IS 'The second one.';
CREATE INDEX bracket_da_idx ON bracket (node_key, kind, da_to);

CREATE TABLE frontier (
  lineage_key integer  NOT NULL,
  kind        smallint NOT NULL,
  below       bigint   NOT NULL,
  stairs      jsonb    NOT NULL,
  PRIMARY KEY (lineage_key, kind)
) WITH (fillfactor = 50);
COMMENT ON TABLE  frontier             IS 'How far what blocks point to is decided.';
COMMENT ON COLUMN frontier.lineage_key IS 'The history of the chain.';
COMMENT ON COLUMN frontier.kind        IS '0 HEADER, 1 DATA.';
COMMENT ON COLUMN frontier.below       IS 'DA heights below are decided.';
COMMENT ON COLUMN frontier.stairs      IS 'What walks have passed and lists have yet to be looked at for: each a time (Unix microseconds, observer''s clock), the first DA height, and the first one behind.';

-- What an event touches beyond what a transaction may do is decided in turns, each in a transaction of its own.
CREATE TABLE decision_turn (
  turn_key    bigint      PRIMARY KEY,
  chain       text        NOT NULL,
  position    bigint      NOT NULL,
  at          timestamptz NOT NULL,
  node_key    integer     NOT NULL,
  what        text        NOT NULL,
  leaves      text,
  next_number bigint      NOT NULL,
  done        bigint      NOT NULL,
  step        jsonb       NOT NULL
);
COMMENT ON TABLE  decision_turn             IS 'What is left to be decided of chains, in the order of the log; empty but after an event that touches very much.';
COMMENT ON COLUMN decision_turn.turn_key    IS 'Those of a chain are worked off in this order.';
COMMENT ON COLUMN decision_turn.chain       IS 'The chain.';
COMMENT ON COLUMN decision_turn.position    IS 'The event that left it: all is decided as of it.';
COMMENT ON COLUMN decision_turn.at          IS 'The time of the event, observer''s clock.';
COMMENT ON COLUMN decision_turn.node_key    IS 'The node of the event.';
COMMENT ON COLUMN decision_turn.what        IS 'CELLS: DA heights; ROWS: rows of the node, whose kind, history or chain it told.';
COMMENT ON COLUMN decision_turn.leaves      IS 'The chain that rows are of until then, where the event tells another. It is worked off in this order with the other.';
COMMENT ON COLUMN decision_turn.next_number IS 'The lowest DA height, or sequence, that is left.';
COMMENT ON COLUMN decision_turn.done        IS 'DA heights, or rows, that are done.';
COMMENT ON COLUMN decision_turn.step        IS 'What decisions go by that tables do not keep: see src/projections/record/decisions/step.ts.';
CREATE INDEX decision_turn_chain_idx ON decision_turn (chain, turn_key);
CREATE INDEX decision_turn_leaves_idx ON decision_turn (leaves, turn_key) WHERE leaves IS NOT NULL;

CREATE TABLE loss (
  loss_position  bigint      NOT NULL,
  node_key       integer     NOT NULL,
  kind           text        NOT NULL,
  after_sequence bigint      NOT NULL,
  min_lost       bigint      NOT NULL,
  max_lost       bigint,
  likely_lost    bigint,
  shown_lost     bigint      NOT NULL DEFAULT 0,
  proven_min     bigint      NOT NULL DEFAULT 0,
  proven_max     bigint,
  from_at        timestamptz,
  to_at          timestamptz NOT NULL,
  from_position  bigint      NOT NULL,
  to_position    bigint,
  change         bigint      NOT NULL DEFAULT nullif(current_setting('hindsight.change', true), '')::bigint,
  PRIMARY KEY (loss_position, from_position)
);
COMMENT ON TABLE  loss                IS 'Rows that were in a ring, or may have been, and were never seen.';
COMMENT ON COLUMN loss.loss_position  IS 'Position of the event that stated it: its identity.';
COMMENT ON COLUMN loss.node_key       IS 'The node whose ring it was.';
COMMENT ON COLUMN loss.kind           IS 'OVERFLOW, RESET, AMBIGUOUS or BEFORE_START.';
COMMENT ON COLUMN loss.after_sequence IS 'The last recorded row before the hole; 0 for none.';
COMMENT ON COLUMN loss.min_lost       IS 'Proven; a later version may be higher when blocks show more.';
COMMENT ON COLUMN loss.max_lost       IS 'Proven, else null.';
COMMENT ON COLUMN loss.likely_lost    IS 'Estimate from the rate around it.';
COMMENT ON COLUMN loss.shown_lost     IS 'How many of them blocks show: the RECONSTRUCTED rows that name it.';
COMMENT ON COLUMN loss.proven_min     IS 'What the event that stated it proves by itself.';
COMMENT ON COLUMN loss.proven_max     IS 'The same of the most; null where it proves none.';
COMMENT ON COLUMN loss.from_at        IS 'The last look before the hole; null for BEFORE_START.';
COMMENT ON COLUMN loss.to_at          IS 'The look that found it.';
COMMENT ON COLUMN loss.from_position  IS 'Position of the event from which on this version was known.';
COMMENT ON COLUMN loss.to_position    IS 'Position from which on it was no longer; null: it still is.';
COMMENT ON COLUMN loss.change         IS 'Number of the transaction that wrote the row last, see record_change.';
CREATE INDEX loss_node_idx ON loss (node_key, to_at);
CREATE INDEX loss_change_idx ON loss (change);
CREATE TRIGGER loss_takes_a_number BEFORE INSERT OR UPDATE ON loss FOR EACH ROW
  WHEN (coalesce(NEW.change <> nullif(current_setting('hindsight.change', true), '')::bigint, true)) EXECUTE FUNCTION number_change();
