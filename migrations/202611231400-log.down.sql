DROP TABLE rebuild_failure, api_key, observer_lease, stream_head, log_head, event;
DROP FUNCTION ensure_event_partition, is_event_partition, refuse_change_of_log;
DROP SCHEMA IF EXISTS hindsight_trigrams CASCADE;
