declare const MCP_VERSION: string | undefined

/** The package's version, set by `scripts/build.ts`. `0.0.0-source` when the sources run unbundled (tests). */
export const VERSION: string = typeof MCP_VERSION === 'string' ? MCP_VERSION : '0.0.0-source'
