ALTER TABLE submission
  ADD told_lineage_key int4, ADD header_after int8, ADD data_after int8, ADD shown_at timestamptz, ADD possible int4;
ALTER TABLE node ADD header_after int8 NOT NULL DEFAULT 0, ADD header_da int8, ADD data_after int8 NOT NULL DEFAULT 0, ADD data_da int8;
CREATE TABLE bracket (
  node_key int4 NOT NULL, kind int2 NOT NULL, after_sequence int8 NOT NULL, da_from int8, da_to int8,
  from_position int8 NOT NULL, closed_position int8, loss_position int8, other_loss_position int8,
  PRIMARY KEY (node_key, kind, after_sequence)
);
CREATE INDEX bracket_da_idx ON bracket (node_key, kind, da_to);
CREATE TABLE frontier (
  lineage_key int4 NOT NULL, kind int2 NOT NULL, below int8 NOT NULL, stairs jsonb NOT NULL,
  PRIMARY KEY (lineage_key, kind)
);
CREATE INDEX submission_header_bracket_idx ON submission (node_key, header_after, sequence) WHERE header_after IS NOT NULL;
CREATE INDEX submission_data_bracket_idx ON submission (node_key, data_after, sequence) WHERE data_after IS NOT NULL;
CREATE INDEX submission_group_idx ON submission (lineage_key, da_height) WHERE node_key IS NULL AND to_position IS NULL;
CREATE INDEX submission_landed_at_idx ON submission (lineage_key, da_height) WHERE status <> 0 AND da_height IS NOT NULL;
