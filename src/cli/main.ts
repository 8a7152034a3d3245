/** Inserted by `scripts/build.ts`. This file has no static imports, because one can add a millisecond to start-up. */
declare const MCP_VERSION: string

// An `import` would read all properties of the module, some of which load more of Node.
const { existsSync, mkdirSync, writeSync } = process.getBuiltinModule('node:fs')

// `--version` loads nothing else, not even `process.stdout`, so it takes little longer than starting Node
// alone.
const words = process.argv.slice(2)
const [first, second] = words
if (isVersionFlag(first) || (first === '--json' && isVersionFlag(second))) {
  printVersion(words.includes('--json') ? `{"version":"${MCP_VERSION}"}\n` : `${MCP_VERSION}\n`)
} else {
  cacheCompiledCode(process.env)
  await (await import('./command-line/run-program.ts')).main(words)
}

function isVersionFlag(word: string | undefined): boolean {
  return word === '--version' || word === '-v' || word === '-V'
}

function printVersion(text: string): void {
  try {
    writeSync(1, text)
  } catch (error) {
    // The reader may be gone.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

/**
 * Compiling takes a tenth of the start-up time (https://nodejs.org/api/module.html#module-compile-cache). The cache is in a
 * folder of the user, because other users could put code into the shared temporary folder. Without a writable folder, there is no
 * cache.
 */
function cacheCompiledCode({ MCP_HOME, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): void {
  const base = MCP_HOME || XDG_CACHE_HOME || `${HOME}/.cache`
  if (!existsSync(base)) return
  const directory = `${base}/${MCP_HOME ? 'cache' : 'mcp'}`
  try {
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 })
    process.getBuiltinModule('node:module').enableCompileCache(directory)
  } catch {
    // Compile without a cache. If the folder matters to the command, the command reports it.
  }
}

export {}
