/**
 * Key-value facts about the database itself. Copies keep its id, which identifies the database of a backup. The check value
 * of `secret.key` is added at the first start.
 */
export const facts = `
CREATE TABLE facts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO facts (name, value) VALUES ('database_id', lower(hex(randomblob(10))));
`
