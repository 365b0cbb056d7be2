-- Whoever reads submissions, blocks and losses again and again asks for what has changed since. Neither a position nor a time
-- of the log tells: a row may be decided long after its event. So each write of a row takes a number, which the database gives
-- out itself, one for all writes of a transaction. It does so under the lock of the projection's checkpoint, so that the order
-- of the numbers is that of the commits.
CREATE TABLE record_change (
  change bigint      PRIMARY KEY,
  at     timestamptz NOT NULL
);
COMMENT ON TABLE  record_change        IS 'When each change number of the record was given out: one row for a transaction that wrote a submission, block or loss.';
COMMENT ON COLUMN record_change.change IS 'The number. Later transactions have larger ones, also those after a rebuild.';
COMMENT ON COLUMN record_change.at     IS 'The database''s clock, and never before the number before; of what a rebuild wrote, the time of its swap.';
CREATE INDEX record_change_at_idx ON record_change (at);

-- Rows from before have no number: what asks since any time gets them.
ALTER TABLE submission ADD COLUMN change bigint NOT NULL DEFAULT 0;
ALTER TABLE block      ADD COLUMN change bigint NOT NULL DEFAULT 0;
ALTER TABLE loss       ADD COLUMN change bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN submission.change IS 'Number of the transaction that wrote the row last, see record_change; 0: from before there were numbers.';
COMMENT ON COLUMN block.change      IS 'Number of the transaction that wrote the row last, see record_change; 0: from before there were numbers.';
COMMENT ON COLUMN loss.change       IS 'Number of the transaction that wrote the row last, see record_change; 0: from before there were numbers.';
CREATE INDEX submission_change_idx ON submission (change);
CREATE INDEX block_change_idx ON block (change);
CREATE INDEX loss_change_idx ON loss (change);

-- A trigger, since no statement may forget it, those of the release before included.
CREATE FUNCTION number_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  given text := current_setting('hindsight.change', true);
BEGIN
  IF given IS NULL OR given = '' THEN
    INSERT INTO record_change (change, at)
    SELECT coalesce(max(change), 0) + 1, greatest(clock_timestamp(), max(at) + interval '1 microsecond')
      FROM record_change
    RETURNING change INTO given;
    PERFORM set_config('hindsight.change', given, true);
  END IF;
  NEW.change := given;
  RETURN NEW;
END $$;
CREATE TRIGGER submission_takes_a_number BEFORE INSERT OR UPDATE ON submission
  FOR EACH ROW EXECUTE FUNCTION number_change();
CREATE TRIGGER block_takes_a_number BEFORE INSERT OR UPDATE ON block
  FOR EACH ROW EXECUTE FUNCTION number_change();
CREATE TRIGGER loss_takes_a_number BEFORE INSERT OR UPDATE ON loss
  FOR EACH ROW EXECUTE FUNCTION number_change();
