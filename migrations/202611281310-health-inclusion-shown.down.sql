ALTER TABLE health_fold DROP COLUMN inclusion_shown;
