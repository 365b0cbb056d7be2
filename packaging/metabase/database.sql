-- Makes the role and the database in which Metabase keeps its questions and users; run again, it sets the password.
\getenv password METABASE_PASSWORD
SELECT 'CREATE ROLE metabase LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'metabase') \gexec
ALTER ROLE metabase PASSWORD :'password';
SELECT 'CREATE DATABASE metabase OWNER metabase' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'metabase') \gexec
