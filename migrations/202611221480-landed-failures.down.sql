DROP INDEX submission_landed_idx;
COMMENT ON TABLE inclusion_open IS 'DA heights that blocks point to, with something that no attempt explains and that is not decided yet.';
