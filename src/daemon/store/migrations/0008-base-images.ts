/** What images of a project are built upon; null: what the daemon is set to. */
export const baseImages = `
ALTER TABLE projects ADD COLUMN base_image TEXT;
`
