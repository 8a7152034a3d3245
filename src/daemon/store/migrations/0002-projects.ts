/** Projects, their uploaded source archives, and the archive of each build. */
export const projects = `
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT,
  repository_url TEXT,
  framework TEXT,
  status TEXT NOT NULL,
  storage_location TEXT,
  template_id TEXT,
  source_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX projects_newest ON projects (created_at, id);
CREATE INDEX projects_by_name ON projects (name, created_at, id);
CREATE INDEX projects_by_status ON projects (status, created_at, id);
CREATE INDEX projects_by_name_and_status ON projects (name, status, created_at, id);

CREATE TABLE sources (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  digest TEXT NOT NULL,
  format TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  used_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_source_of_a_kind ON sources (project_id, digest);
CREATE INDEX sources_by_digest ON sources (digest);

ALTER TABLE builds ADD COLUMN source_digest TEXT;
CREATE INDEX builds_by_source ON builds (source_digest) WHERE source_digest IS NOT NULL;
`
