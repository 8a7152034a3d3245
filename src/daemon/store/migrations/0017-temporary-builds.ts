/** Time after which a temporary build is removed. Null for others. */
export const temporaryBuilds = `
ALTER TABLE builds ADD COLUMN expires_at TEXT;
CREATE INDEX builds_by_expiry ON builds (expires_at) WHERE expires_at IS NOT NULL;
`
