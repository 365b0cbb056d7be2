-- Nodes that were recorded by mistake can be excluded: read models are made again without their events.
ALTER TABLE projection_checkpoint ADD COLUMN excluded jsonb NOT NULL DEFAULT '[]';
COMMENT ON COLUMN projection_checkpoint.excluded IS 'Ids of the nodes that operators have excluded: events of these nodes are not in its tables.';
