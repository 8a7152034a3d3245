/** Deployments that failed for what another program did, looked for every few seconds. */
export const conflicts = `
CREATE INDEX deployments_in_conflict ON deployments (updated_at)
  WHERE status = 'failed' AND json_extract(error, '$.code') = 'CONFLICT';
`
