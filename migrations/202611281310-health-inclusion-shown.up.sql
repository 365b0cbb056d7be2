-- A node that syncs by P2P alone never shows its blocks as included: its blocks do not wait.
ALTER TABLE health_fold ADD COLUMN inclusion_shown boolean;
COMMENT ON COLUMN health_fold.inclusion_shown IS 'Whether it was seen to show inclusion at one DA height after another, so that blocks which wait say something.';
COMMENT ON COLUMN coverage_fold.state IS 'ListCoverage of src/domain/coverage/list-coverage.ts.';
