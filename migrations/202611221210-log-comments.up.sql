COMMENT ON COLUMN log_head.only_row IS 'There is one row.';
COMMENT ON COLUMN stream_head.stream IS 'The stream.';
COMMENT ON COLUMN event.schema IS 'Version of the form of the type''s body.';
