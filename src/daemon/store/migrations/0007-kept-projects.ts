/** Indexes for lists without deleted projects. */
export const keptProjects = `
CREATE INDEX projects_kept ON projects (created_at, id) WHERE status <> 'deleted';
CREATE INDEX projects_kept_by_name ON projects (name, created_at, id) WHERE status <> 'deleted';
`
