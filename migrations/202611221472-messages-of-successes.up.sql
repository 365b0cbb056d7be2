-- The index of messages leaves out successes, as they have none; whoever asks for all rows with a message must know that of those few
-- that have one all the same. As a sum (0: a success with a message), since of status and message by themselves the planner expects many.
CREATE INDEX submission_success_message_idx ON submission (from_position, sequence) WHERE status + (message IS NULL)::int = 0;
