-- A list of submissions is of one process, and a process of one chain: rows take the chain of their list.
ALTER TABLE node ADD COLUMN settings_chain_id text, ADD COLUMN names_lists boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN node.settings_chain_id IS 'The chain that its settings name; null: they name none.';
COMMENT ON COLUMN node.names_lists       IS 'Whether its descriptions say which list they belong to; those of older observers do not.';

CREATE TABLE node_list (
  node_key      integer     NOT NULL,
  from_position bigint      NOT NULL,
  to_position   bigint,
  list          bigint      NOT NULL,
  chain_id      text,
  told          boolean     NOT NULL,
  from_at       timestamptz NOT NULL,
  waits_at      timestamptz NOT NULL,
  seen_at       timestamptz,
  may_join      boolean     NOT NULL,
  closed        boolean     NOT NULL,
  PRIMARY KEY (node_key, from_position)
);
CREATE INDEX node_list_waiting_idx ON node_list (node_key) WHERE to_position IS NULL AND chain_id IS NULL;
COMMENT ON TABLE  node_list               IS 'The lists of submissions that a node has shown, and the chain of each.';
COMMENT ON COLUMN node_list.node_key      IS 'The node.';
COMMENT ON COLUMN node_list.from_position IS 'The event that first showed the list.';
COMMENT ON COLUMN node_list.to_position   IS 'The event from which on rows under its number are of a new list; null: they are of this one.';
COMMENT ON COLUMN node_list.list          IS 'Its number behind the address of the node.';
COMMENT ON COLUMN node_list.chain_id      IS 'The chain of its rows; null while nothing has named one.';
COMMENT ON COLUMN node_list.told          IS 'Whether its process has named the chain; else the chain is presumed.';
COMMENT ON COLUMN node_list.from_at       IS 'The poll that first showed it, observer''s clock.';
COMMENT ON COLUMN node_list.waits_at      IS 'The poll since which the node had shown only lists without a chain, observer''s clock.';
COMMENT ON COLUMN node_list.seen_at       IS 'The last poll before that, observer''s clock; null where there was none.';
COMMENT ON COLUMN node_list.may_join      IS 'Whether nothing denied, before its chain was named, that it is of the chain of the list that was named before it.';
COMMENT ON COLUMN node_list.closed        IS 'Its number behind the address stands for another list, or for none that is remembered.';
