-- Parts of texts are found by their trigrams where the server has the extension and lets this account make it. Where not, the
-- newest texts alone are looked through. A schema of its own: what was made here can be told from what others made.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN RETURN; END IF;
  CREATE SCHEMA hindsight_trigrams;
  CREATE EXTENSION pg_trgm SCHEMA hindsight_trigrams;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'pg_trgm is not there (%): messages are searched without it', SQLERRM;
END $$;
