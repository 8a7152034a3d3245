import { writeSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { VERSION } from '../shared/version.ts'

// The version costs hardly more than a bare start of Node: nothing else is loaded for it, not even `process.stdout`.
const [first, ...others] = process.argv.slice(2)
if (others.length === 0 && (first === '--version' || first === '-V')) {
  writeSync(1, `${VERSION}\n`)
} else {
  cacheCompiledCode(process.env)
  await (await import('./program.ts')).main(process.argv.slice(2))
}

/**
 * A tenth of a start is compiling (https://nodejs.org/api/module.html#module-compile-cache). In a folder of the user's
 * own rather than the shared temporary one, where others could put code; where it cannot be written there is no cache.
 */
function cacheCompiledCode({ MCP_HOME, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): void {
  const home = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`)
  const directory = MCP_HOME ? `${MCP_HOME}/cache` : home && `${home}/mcp`
  if (directory) enableCompileCache(directory)
}
