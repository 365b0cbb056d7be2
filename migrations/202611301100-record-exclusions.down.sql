ALTER TABLE projection_checkpoint DROP COLUMN excluded;
