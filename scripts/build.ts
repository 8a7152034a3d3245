import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { lazyBuiltins, lightHttpImport } from './builtin-imports.ts'
import { leanPackages } from './lean-packages.ts'
import { startInOneFile } from './start-in-one-file.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const cli = (file: string) => join(root, 'src', 'cli', file)
const START = ['program.ts', 'commands.ts'].map(cli)

/**
 * Bundles the programs into `dist/`: `cli.js` (a small start, the rest in lazily loaded chunks), `daemon.js`, `database.js` (what
 * `mcp doctor` does with its database) and `instance.js` (what its handlers need, in chunks loaded with the first call). Only better-sqlite3 and esbuild stay outside,
 * because they are native programs. `server.js` and the types in `sdk/` are what custom servers import. A file that did not change is not touched and each write is a rename, so that programs
 * running from `dist/` never see half of one. Gives the paths.
 */
export async function buildDist(): Promise<string[]> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const common: BuildOptions = {
    absWorkingDir: root,
    bundle: true,
    write: false,
    outdir: 'dist',
    platform: 'node',
    format: 'esm',
    target: 'node22.19',
    external: ['better-sqlite3', 'esbuild'],
    // Its main file is UMD, whose inner require() calls no bundler can follow.
    // yaml's is CommonJS, of which a lazy import gets no names; what it calls its browser build is the same as modules.
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js'),
    },
    define: { MCP_VERSION: JSON.stringify(version) },
    // Bundled CommonJS packages still call require() for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    plugins: [lightHttpImport],
    legalComments: 'none',
    logLevel: 'warning',
  }
  const results = await Promise.all([
    build({
      ...common,
      entryPoints: { cli: 'src/cli/main.ts' },
      splitting: true,
      minify: true,
      plugins: [lazyBuiltins, startInOneFile({ root, first: START, commands: commandFiles() })],
      banner: {},
      chunkNames: 'cli/[name]-[hash]',
    }),
    build({
      ...common,
      entryPoints: { daemon: 'src/daemon/main.ts', database: 'src/daemon/database-tool.ts' },
      splitting: true,
      plugins: [lightHttpImport, leanPackages],
      // Names stay, for the stack traces in its log.
      minifyWhitespace: true,
      minifySyntax: true,
      chunkNames: 'daemon/[name]-[hash]',
    }),
    build({
      ...common,
      entryPoints: { instance: 'src/instance/main.ts' },
      splitting: true,
      minify: true,
      chunkNames: 'instance/[name]-[hash]',
    }),
    // One file: `mcp export` copies it beside an artifact.
    build({ ...common, entryPoints: { standalone: 'src/instance/standalone.ts' }, minify: true }),
    // What custom servers import; it becomes part of their bundles.
    build({ ...common, entryPoints: { server: 'src/sdk/server.ts' }, banner: {} }),
    // What applications import to sign users in.
    build({ ...common, entryPoints: { oauth: 'src/sdk/oauth/main.ts' }, banner: {} }),
  ])
  const files = [...results.flatMap(result => result.outputFiles ?? []), ...(await emitDeclarations())]
  for (const file of files) writeWhenChanged(file.path, file.contents)
  return files.map(file => file.path)
}

function commandFiles(): string[] {
  return readdirSync(cli('commands')).map(name => cli(join('commands', name)))
}

/** Types of `mcp-hosting/server` and `mcp-hosting/oauth`, for the editors of those who import them. */
async function emitDeclarations(): Promise<{ path: string; contents: Uint8Array }[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-types-'))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const project = join(root, 'src/sdk/tsconfig.json')
  try {
    await promisify(execFile)(process.execPath, [compiler, '--project', project, '--outDir', folder])
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.d.ts'),
    )
    return names.map(name => ({
      path: join(dist, 'sdk', name),
      contents: readFileSync(join(folder, name)),
    }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function writeWhenChanged(path: string, content: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(content)) return
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, content)
  renameSync(temporary, path)
}

/** What an earlier build left in `dist/`. */
function removeStale(built: string[]): void {
  const fresh = new Set(built)
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !fresh.has(path)) rmSync(path)
  }
}

if (import.meta.main) {
  removeStale(await buildDist())
  console.log(`built ${relative(process.cwd(), dist) || dist}`)
}
