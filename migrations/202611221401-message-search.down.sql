DROP INDEX IF EXISTS submission_message_idx;
