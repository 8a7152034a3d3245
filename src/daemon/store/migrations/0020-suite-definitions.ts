/** The suite of a stored run, so that a client can run it again. NULL for earlier runs. */
export const suiteDefinitions = `
ALTER TABLE suite_run_cases ADD COLUMN definition TEXT;
`
