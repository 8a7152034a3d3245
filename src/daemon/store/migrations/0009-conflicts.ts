/** Index for deployments that failed because of another program. The daemon checks them every few seconds. */
export const conflicts = `
CREATE INDEX deployments_in_conflict ON deployments (updated_at)
  WHERE status = 'failed' AND json_extract(error, '$.code') = 'CONFLICT';
`
