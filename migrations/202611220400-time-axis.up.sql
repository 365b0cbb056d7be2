-- Coverage and availability remember how the observer's clock was set, so that their times never go back.
ALTER TABLE coverage_interval ADD COLUMN axis json;
COMMENT ON COLUMN coverage_interval.axis IS 'TimeAxis of src/domain/time-axis.ts, on which the times lie; null before it was kept.';
ALTER TABLE availability_interval ADD COLUMN axis json;
COMMENT ON COLUMN availability_interval.axis IS 'TimeAxis of src/domain/time-axis.ts, on which the times lie; null before it was kept.';
