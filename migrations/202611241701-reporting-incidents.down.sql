DROP VIEW reporting.incidents CASCADE;
