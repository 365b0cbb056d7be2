-- What others have put there stays, and the schema with it; their views of these go, as they have nothing to show any more.
DROP VIEW reporting.health_intervals, reporting.nodes, reporting.chains, reporting.submissions, reporting.blocks, reporting.losses,
  reporting.events, reporting.statistics_hourly, reporting.statistics_daily, reporting.node_statistics_hourly,
  reporting.node_statistics_daily, reporting.cost_hourly, reporting.cost_daily, reporting.node_cost_hourly,
  reporting.node_cost_daily CASCADE;
DROP FUNCTION reporting.day_end;
DO $$
BEGIN
  DROP SCHEMA reporting;
EXCEPTION WHEN dependent_objects_still_exist THEN
  RAISE NOTICE 'the schema reporting is not empty, and stays';
END $$;
