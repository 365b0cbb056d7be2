DROP TABLE node_namespace;
COMMENT ON TABLE namespace IS 'DA namespaces, 58 hex digits, lower case.';
COMMENT ON COLUMN namespace.namespace IS '58 hex digits, lower case.';
