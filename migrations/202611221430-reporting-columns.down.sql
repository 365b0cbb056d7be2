-- The columns stay, as nothing reads a view by their number; but for the one that needs the functions.
DROP VIEW reporting.losses CASCADE;
CREATE VIEW reporting.losses AS
SELECT l.loss_position AS id, n.id AS node, n.chain_id AS chain, l.kind, l.after_sequence, l.min_lost, l.max_lost, l.likely_lost,
       l.from_at, l.to_at
  FROM loss l JOIN node n ON n.node_key = l.node_key WHERE l.to_position IS NULL;
DROP FUNCTION reporting.explain_loss, reporting.rows_in_words, reporting.length_in_words, reporting.time_in_words;
