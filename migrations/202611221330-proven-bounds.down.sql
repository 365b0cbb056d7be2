ALTER TABLE loss DROP COLUMN proven_min, DROP COLUMN proven_max;
