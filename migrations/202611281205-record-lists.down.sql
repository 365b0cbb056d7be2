DROP TABLE node_list;
ALTER TABLE node DROP COLUMN settings_chain_id, DROP COLUMN names_lists;
