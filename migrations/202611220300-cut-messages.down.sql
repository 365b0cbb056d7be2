ALTER TABLE submission DROP COLUMN message_bytes;
COMMENT ON COLUMN submission.message IS 'The node''s message.';
