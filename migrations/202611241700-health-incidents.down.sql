DROP TABLE last_trouble;
DROP TABLE incident_join;
DROP INDEX health_interval_trouble_idx;
