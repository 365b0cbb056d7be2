-- What others have put there stays, and the schema with it; their views of these go, as they have nothing to show any more.
DROP VIEW reporting.nodes, reporting.health_intervals, reporting.chains, reporting.submissions, reporting.blocks, reporting.losses,
  reporting.events, reporting.statistics_hourly, reporting.statistics_daily, reporting.statistics_monthly,
  reporting.node_statistics_hourly, reporting.node_statistics_daily, reporting.node_statistics_monthly, reporting.cost_hourly,
  reporting.cost_daily, reporting.cost_monthly, reporting.node_cost_hourly, reporting.node_cost_daily, reporting.node_cost_monthly,
  reporting.block_statistics_hourly, reporting.block_statistics_daily, reporting.block_statistics_monthly,
  reporting.node_block_statistics_hourly, reporting.node_block_statistics_daily, reporting.node_block_statistics_monthly CASCADE;
DROP FUNCTION reporting.submission_id, reporting.explain_open_loss, reporting.explain_loss, reporting.rows_in_words, reporting.length_in_words,
  reporting.time_in_words, reporting.largest_of, reporting.add_up, reporting.moment_of, reporting.clock_at CASCADE;
DO $$
BEGIN
  DROP SCHEMA reporting;
EXCEPTION WHEN dependent_objects_still_exist THEN
  RAISE NOTICE 'the schema reporting is not empty, and stays';
END $$;
