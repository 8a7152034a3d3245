/**
 * Single values about the database itself. Its id stays the same in every copy, so that a backup shows which database it is
 * of. The check value of `secret.key` is added at the first start.
 */
export const facts = `
CREATE TABLE facts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO facts (name, value) VALUES ('database_id', lower(hex(randomblob(10))));
`
