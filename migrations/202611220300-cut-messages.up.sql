-- Messages are kept in the read model up to some length; the log has them whole, or the row's digest.
ALTER TABLE submission ADD COLUMN message_bytes bigint;
COMMENT ON COLUMN submission.message_bytes IS 'Bytes of the message where the column message holds only its start; null where it holds all that the log has.';
COMMENT ON COLUMN submission.message IS 'The node''s message, or the first 4,000 characters of it and "… (cut)".';
