-- Who may ask, and who may change. No key stands here: what does is of no use to whoever reads the database or a backup of it.
-- A row is never deleted: events name the keys that asked for them.
CREATE TABLE api_key (
  api_key_id   bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name         text        NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  scope        text        NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  hash         bytea       NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  revoked_at   timestamptz
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX api_key_living_name ON api_key (name) WHERE revoked_at IS NULL;

COMMENT ON TABLE  api_key              IS 'The API keys that hindsight keys has made, living and revoked. Those of the settings are not here.';
COMMENT ON COLUMN api_key.api_key_id   IS 'Counts up. A name that is used again is another row.';
COMMENT ON COLUMN api_key.name         IS 'As events name it; one living key bears it at a time.';
COMMENT ON COLUMN api_key.scope        IS 'read: may ask. write: may also set prices, import fees and ask for jobs. admin: may do everything.';
COMMENT ON COLUMN api_key.hash         IS 'SHA-256 of the key, which is 256 random bits in text: there is nothing to guess that salt or a slow hash would protect.';
COMMENT ON COLUMN api_key.created_at   IS 'The database''s clock.';
COMMENT ON COLUMN api_key.last_used_at IS 'To about a minute, the database''s clock; null: never used.';
COMMENT ON COLUMN api_key.revoked_at   IS 'From then on it is refused, the database''s clock; null: it lives.';
