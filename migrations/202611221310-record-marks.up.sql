-- What an event touches beyond what it names is decided in pages, each in a transaction of its own: what is left of it.
CREATE TABLE record_mark (
  mark_key    integer     NOT NULL PRIMARY KEY,
  what        text        NOT NULL,
  position    bigint      NOT NULL,
  at          timestamptz NOT NULL,
  node_key    integer     NOT NULL,
  lineage_key integer,
  chain_id    text,
  next_number bigint      NOT NULL,
  below       bigint,
  done        bigint      NOT NULL,
  set_aside   smallint    NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE  record_mark             IS 'What events left to be done in pages before the next event is applied; empty but after an event that touches very much.';
COMMENT ON COLUMN record_mark.mark_key    IS 'Marks are worked off in this order.';
COMMENT ON COLUMN record_mark.what        IS 'CHAIN, KINDS, JOINING, LEAVING, WALKED, LOSS or READY: see src/tables/record/record-mark.entity.ts.';
COMMENT ON COLUMN record_mark.position    IS 'The event that left it: all decisions are made as of it.';
COMMENT ON COLUMN record_mark.at          IS 'The time of the event, observer''s clock.';
COMMENT ON COLUMN record_mark.node_key    IS 'The node of the event.';
COMMENT ON COLUMN record_mark.lineage_key IS 'The history whose DA heights they are; null where rows of the node are meant.';
COMMENT ON COLUMN record_mark.chain_id    IS 'Of CHAIN: the chain that the node was of before; null for none.';
COMMENT ON COLUMN record_mark.next_number IS 'The lowest sequence, or DA height, that is left.';
COMMENT ON COLUMN record_mark.below       IS 'DA heights from this one on are not meant; null: all are.';
COMMENT ON COLUMN record_mark.done        IS 'Rows, or DA heights, that are done.';
COMMENT ON COLUMN record_mark.set_aside   IS 'Rows, or DA heights, that could not be done because of what is in them, and were left as they are.';

-- Rows that what is learnt of their node later may concern.
CREATE INDEX submission_kindless_idx ON submission (node_key, sequence) WHERE kind = 3 AND node_key IS NOT NULL;
CREATE INDEX submission_lineageless_idx ON submission (node_key, sequence)
  WHERE lineage_key IS NULL AND node_key IS NOT NULL;
