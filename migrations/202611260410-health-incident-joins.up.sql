-- Our own coverage of a node is a third line of intervals. Nodes of a chain with the same trouble at once are one incident.
ALTER TABLE health_interval DROP CONSTRAINT health_interval_component_check,
  ADD CONSTRAINT health_interval_component_check CHECK (component IN ('DA', 'NODE', 'COVERAGE'));
COMMENT ON COLUMN health_interval.component IS 'DA, NODE or COVERAGE.';
COMMENT ON COLUMN health_interval.rule      IS 'The rule that decided; see DA_RULES, NODE_RULES and coverage-line.ts in src/domain.';

CREATE TABLE incident_join (
  node          text        NOT NULL,
  component     text        NOT NULL,
  from_at       timestamptz NOT NULL,
  root_node     text        NOT NULL,
  root_from_at  timestamptz NOT NULL,
  from_position bigint      NOT NULL,
  to_position   bigint,
  PRIMARY KEY (node, component, from_at, from_position)
);
COMMENT ON TABLE  incident_join               IS 'Trouble of a node that belongs to an incident that began with another node of its chain, in all versions that were known of it.';
COMMENT ON COLUMN incident_join.node          IS 'Id of the node.';
COMMENT ON COLUMN incident_join.component     IS 'DA, NODE or COVERAGE.';
COMMENT ON COLUMN incident_join.from_at       IS 'Its first sign: an interval of health_interval begins so.';
COMMENT ON COLUMN incident_join.root_node     IS 'Id of the node that the incident began with.';
COMMENT ON COLUMN incident_join.root_from_at  IS 'The first sign of the incident, of the same component.';
COMMENT ON COLUMN incident_join.from_position IS 'The event that told of its first sign.';
COMMENT ON COLUMN incident_join.to_position   IS 'The event that took it back; null for one that stands.';
CREATE INDEX incident_join_root_idx ON incident_join (root_node, component, root_from_at);

CREATE TABLE last_trouble (
  node    text    PRIMARY KEY,
  chain   text,
  retired boolean NOT NULL,
  state   json    NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE  last_trouble         IS 'The last trouble of each node, by which another node''s is joined to it, at the projection''s checkpoint.';
COMMENT ON COLUMN last_trouble.node    IS 'Id of the node.';
COMMENT ON COLUMN last_trouble.chain   IS 'Its chain; null while unknown.';
COMMENT ON COLUMN last_trouble.retired IS 'Nobody is to look at it any more.';
COMMENT ON COLUMN last_trouble.state   IS 'LastTrouble of src/domain/health/joined-trouble.ts, by component.';
CREATE INDEX last_trouble_chain_idx ON last_trouble (chain);
