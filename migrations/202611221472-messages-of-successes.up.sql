-- The index of messages leaves out successes, as they have none; whoever asks for all rows with a message must know that of those few
-- that have one all the same.
CREATE INDEX submission_success_message_idx ON submission (from_position, sequence) WHERE status = 0 AND message IS NOT NULL;
