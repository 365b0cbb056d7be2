DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace'
               WHERE c.relnamespace = 'reporting'::regnamespace AND c.relkind = 'v' AND pg_has_role(c.relowner, 'USAGE')
                 AND c.relname ~ '^(node_)?(statistics|cost)_(hourly|daily)$' LOOP
    EXECUTE format('COMMENT ON COLUMN reporting.%I.namespace IS %L', name, '58 hex digits, lower case; null where none is named.');
  END LOOP;
END $$;
