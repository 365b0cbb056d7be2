DROP SCHEMA IF EXISTS hindsight_trigrams CASCADE;
