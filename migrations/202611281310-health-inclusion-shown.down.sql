ALTER TABLE health_fold DROP COLUMN inclusion_shown;
COMMENT ON COLUMN coverage_fold.state IS 'ListCoverage of src/domain/submissions/list-coverage.ts.';
