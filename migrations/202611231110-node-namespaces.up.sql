-- A node can make up any number of namespaces, each of which had rows of its own in every bucket: the first 100 of each have.
CREATE TABLE node_namespace (
  namespace_key integer NOT NULL,
  node_key      integer NOT NULL,
  from_position bigint  NOT NULL,
  PRIMARY KEY (namespace_key, node_key)
);
COMMENT ON TABLE node_namespace IS 'The namespaces of a node that statistics tell by name: the first 100 that it showed or told. `other` is among them once it has more.';
COMMENT ON COLUMN node_namespace.namespace_key IS 'The namespace.';
COMMENT ON COLUMN node_namespace.node_key IS 'The node.';
COMMENT ON COLUMN node_namespace.from_position IS 'Position of the event that showed it first.';

COMMENT ON TABLE namespace IS 'DA namespaces, 58 hex digits, lower case; `other` stands in statistics for those of a node beyond its first 100.';
COMMENT ON COLUMN namespace.namespace IS '58 hex digits, lower case; or other.';
