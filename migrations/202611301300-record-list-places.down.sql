ALTER TABLE node_list DROP COLUMN after_sequence;
