import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build, type OutputFile } from 'esbuild'
import { NODE_TARGET } from '../src/shared/supported-node.ts'
import { lazyBuiltins, lightHttpImport, linkingBuiltins } from './builtin-imports.ts'
import { emitDeclarations } from './declarations.ts'
import { LEAN_UNDICI, leanPackages } from './lean-packages.ts'
import { nodeCheck, requireSameEngines } from './node-check.ts'
import { buildShared, linkShared, sharedPackages } from './shared-packages.ts'
import { startInOneFile } from './start-in-one-file.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const cli = (file: string) => join(root, 'src', 'cli', file)
/** Syntax of an exported server, so that older versions read the file up to its check. */
const PARSED_BY = 'node18'
const START = ['program.ts', 'commands.ts'].map(cli)

interface BuiltFile {
  path: string
  contents: Uint8Array
}

/**
 * Bundles the programs into `dist/`: `cli.js` (a small start, the rest in lazily loaded chunks), `daemon.js`, `database.js` (what
 * `mcp doctor` does with its database) and `instance.js` (what its handlers need, in chunks loaded with the first call). Only better-sqlite3 and esbuild stay outside,
 * because they are native programs. `server.js` and the types in `sdk/` are what custom servers import. A file that did not change is not touched and each write is a rename, so that programs
 * running from `dist/` never see half of one. Gives the paths.
 */
export async function buildDist(): Promise<string[]> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  requireSameEngines(manifest)
  const common: BuildOptions = {
    absWorkingDir: root,
    bundle: true,
    write: false,
    outdir: 'dist',
    platform: 'node',
    format: 'esm',
    target: NODE_TARGET,
    external: ['better-sqlite3', 'esbuild'],
    // Its main file is UMD, whose inner require() calls no bundler can follow.
    // yaml's is CommonJS, of which a lazy import gets no names; what it calls its browser build is the same as modules.
    alias: {
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js'),
    },
    define: { MCP_VERSION: JSON.stringify(manifest.version), ...LEAN_UNDICI },
    // Bundled CommonJS packages still call require() for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    plugins: [lightHttpImport, leanPackages],
    legalComments: 'none',
    logLevel: 'warning',
  }
  const shared = await buildShared(common)
  const results = await Promise.all([
    build({
      ...common,
      entryPoints: { cli: 'src/cli/main.ts' },
      splitting: true,
      minify: true,
      plugins: [
        // Its copy of liquidjs loads modules of Node only when they are used.
        sharedPackages({ except: ['liquidjs'] }),
        lazyBuiltins,
        leanPackages,
        startInOneFile({ root, first: START, commands: commandFiles() }),
      ],
      banner: {},
      chunkNames: 'cli/[name]-[hash]',
    }),
    build({
      ...common,
      entryPoints: { daemon: 'src/daemon/main.ts', database: 'src/daemon/database-tool.ts' },
      splitting: true,
      minify: true,
      // For the stack traces in its log.
      keepNames: true,
      plugins: [sharedPackages(), lightHttpImport, leanPackages],
      chunkNames: 'daemon/[name]-[hash]',
    }),
    build({
      ...common,
      entryPoints: { instance: 'src/instance/main.ts' },
      splitting: true,
      minify: true,
      plugins: [sharedPackages(), lightHttpImport, leanPackages],
      chunkNames: 'instance/[name]-[hash]',
    }),
    // The way out of confined processes: one small file.
    build({ ...common, entryPoints: { egress: 'src/egress/main.ts' }, minify: true, banner: {} }),
    // One file: `mcp export` unpacks it next to an artifact.
    build({
      ...common,
      entryPoints: { standalone: 'src/instance/standalone.ts' },
      minify: true,
      plugins: [linkingBuiltins, leanPackages],
      target: PARSED_BY,
    }),
    // What custom servers import; it becomes part of their bundles.
    build({ ...common, entryPoints: { server: 'src/sdk/server.ts' }, banner: {} }),
    // What applications import to sign users in.
    build({ ...common, entryPoints: { oauth: 'src/sdk/oauth/main.ts' }, banner: {} }),
  ])
  const files = [
    ...results.flatMap(result => result.outputFiles ?? []).map(file => finish(file, shared)),
    ...shared,
    { path: join(dist, 'check-node.js'), contents: Buffer.from(nodeCheck('mcpd')) },
    ...(await declarations()),
  ]
  for (const file of files) writeWhenChanged(file.path, file.contents)
  return files.map(file => file.path)
}

/** `cli.js` and the exported server check the Node that they run on first. Neither imports anything before. */
function finish(file: OutputFile, shared: readonly OutputFile[]): BuiltFile {
  const { path } = file
  const contents = linkShared(file, shared)
  const name = relative(dist, path)
  if (name === 'cli.js') return { path, contents: Buffer.concat([Buffer.from(nodeCheck('mcp')), contents]) }
  if (name !== 'standalone.js') return { path, contents }
  // Only ever copied, so that it needs no space unpacked.
  return {
    path: `${path}.gz`,
    contents: gzipSync(Buffer.concat([Buffer.from(nodeCheck('This server')), contents]), { level: 9 }),
  }
}

function commandFiles(): string[] {
  return readdirSync(cli('commands')).map(name => cli(join('commands', name)))
}

async function declarations(): Promise<BuiltFile[]> {
  const emitted = await emitDeclarations(root)
  return emitted.map(({ name, contents }) => ({ path: join(dist, 'sdk', name), contents }))
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
