DROP TABLE event, log_head, stream_head;
DROP FUNCTION ensure_event_partition(timestamptz);
DROP FUNCTION refuse_change_of_log();
