COMMENT ON COLUMN log_head.only_row IS NULL;
COMMENT ON COLUMN stream_head.stream IS NULL;
COMMENT ON COLUMN event.schema IS 'Version of the type''s body; older ones are upcast on read.';
