/** Base of a project's images. Null for the daemon's default. */
export const baseImages = `
ALTER TABLE projects ADD COLUMN base_image TEXT;
`
