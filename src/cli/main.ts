/** Written in by `scripts/build.ts`: this file imports nothing, since each file costs a start up to a millisecond. */
declare const MCP_VERSION: string

// An `import` would read all its properties, and some load more of Node.
const { existsSync, mkdirSync, writeSync } = process.getBuiltinModule('node:fs')

// The version costs hardly more than a bare start of Node: nothing else is loaded for it, not even `process.stdout`.
const [first] = process.argv.slice(2)
if (first === '--version' || first === '-V') {
  writeSync(1, `${MCP_VERSION}\n`)
} else {
  cacheCompiledCode(process.env)
  await (await import('./program.ts')).main(process.argv.slice(2))
}

/**
 * A tenth of a start is compiling (https://nodejs.org/api/module.html#module-compile-cache). In a folder of the user's
 * own rather than the shared temporary one, where others could put code; where that cannot be written there is no cache.
 */
function cacheCompiledCode({ MCP_HOME, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): void {
  const base = MCP_HOME || XDG_CACHE_HOME || `${HOME}/.cache`
  if (!existsSync(base)) return
  const directory = `${base}/${MCP_HOME ? 'cache' : 'mcp'}`
  try {
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 })
    process.getBuiltinModule('node:module').enableCompileCache(directory)
  } catch {
    // Compiled anew each time, then; what the command itself cannot write it tells itself.
  }
}

export {}
