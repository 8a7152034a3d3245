import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build, type OutputFile } from 'esbuild'
import { NODE_TARGET } from '../src/shared/supported-node.ts'
import { lazyBuiltins, lightHttpImport, linkingBuiltins } from './builtin-imports.ts'
import { buildConsole } from './console.ts'
import { emitDeclarations } from './declarations.ts'
import { inlineFacades, type TextFile } from './inline-facades.ts'
import { LEAN_UNDICI, leanPackages } from './lean-packages.ts'
import { nodeCheck, requireSameEngines } from './node-check.ts'
import { buildShared, linkShared, sharedPackages } from './shared-packages.ts'
import { startInOneFile } from './start-in-one-file.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const cli = (file: string) => join(root, 'src', 'cli', file)
/** Syntax of an exported server, so that older Node versions can parse the file and run its version check. */
const PARSED_BY = 'node18'
const START = ['command-line/run-program.ts', 'command-line/commands.ts'].map(cli)
const INSTANCE = join(root, 'src/instance/main.ts')
const FASTEST = ['commands/status.ts', 'commands/list.ts'].map(cli)

interface BuiltFile {
  path: string
  contents: Uint8Array
}

/**
 * Bundles the programs into `dist/`: `cli.js` (a small entry file and lazy chunks), `daemon.js`, `database.js` (backups and
 * checks) and `instance.js` (chunks of handlers load with the first call). better-sqlite3 and esbuild stay outside because they
 * are native programs. Custom servers import `server.js` and the types in `sdk/`. Unchanged files are not touched, and each write
 * is a rename, so that running programs never see half a file. The folder's modification time is set to the start of the build.
 * Returns the paths.
 */
export async function buildDist(): Promise<string[]> {
  const startedAt = new Date()
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
    // The main file of jsonc-parser is UMD, and no bundler can follow the inner require() calls. yaml's main file is CommonJS, so
    // a lazy import has no names. Its browser build is the same code as modules.
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
        // The CLI's copy of liquidjs loads Node modules only when they are used.
        sharedPackages({ except: ['liquidjs'] }),
        lazyBuiltins,
        leanPackages,
        startInOneFile({ root, first: START, commands: commandFiles(), fastest: FASTEST }),
      ],
      banner: {},
      chunkNames: 'cli/[name]-[hash]',
    }),
    build({
      ...common,
      entryPoints: {
        daemon: 'src/daemon/main.ts',
        database: 'src/daemon/home/database-tool.ts',
        state: 'src/daemon/state/state-worker.ts',
      },
      splitting: true,
      minify: true,
      // For stack traces in the log.
      keepNames: true,
      plugins: [sharedPackages(), lightHttpImport, leanPackages],
      chunkNames: 'daemon/[name]-[hash]',
    }),
    build({
      ...common,
      entryPoints: { instance: INSTANCE },
      splitting: true,
      minify: true,
      plugins: [sharedPackages(), lightHttpImport, leanPackages, startInOneFile({ root, first: [INSTANCE] })],
      chunkNames: 'instance/[name]-[hash]',
    }),
    // Network access of confined processes.
    build({ ...common, entryPoints: { egress: 'src/egress/main.ts' }, minify: true, banner: {} }),
    // One file: `mcp export` unpacks it next to an artifact.
    build({
      ...common,
      entryPoints: { standalone: 'src/instance/standalone.ts' },
      minify: true,
      plugins: [linkingBuiltins, leanPackages],
      target: PARSED_BY,
    }),
    // Custom servers import this file, which becomes part of their bundles.
    build({ ...common, entryPoints: { server: 'src/sdk/server.ts' }, banner: {} }),
    // Applications import this file to sign users in.
    build({ ...common, entryPoints: { oauth: 'src/sdk/oauth/main.ts' }, banner: {} }),
  ])
  const files = [
    ...results.flatMap(result => inlineFacades(result.outputFiles ?? [])).map(file => finish(file, shared)),
    ...shared,
    { path: join(dist, 'check-node.js'), contents: Buffer.from(nodeCheck('mcpd')) },
    ...(await declarations()),
    ...(await consoleFiles()),
  ]
  for (const file of files) writeWhenChanged(file.path, file.contents)
  utimesSync(dist, startedAt, startedAt)
  return files.map(file => file.path)
}

/** Builds `dist/` unless it is newer than all its sources. */
export async function updateDist(): Promise<void> {
  // Folders are included, because their modification times change when a file is removed.
  const sources = globSync(['src/**', 'scripts/**', 'package.json', 'package-lock.json', 'tsconfig.json'], {
    cwd: root,
  })
  const isCurrent = existsSync(dist) && sources.every(file => changedAt(join(root, file)) < changedAt(dist))
  if (!isCurrent) removeStale(await buildDist())
}

function changedAt(file: string): number {
  return statSync(file).mtimeMs
}

/** Completes a file. `cli.js` and the exported server check the Node version before they import anything. */
function finish(file: TextFile, shared: readonly OutputFile[]): BuiltFile {
  const { path } = file
  const contents = linkShared(file, shared)
  const name = relative(dist, path)
  if (name === 'cli.js') return { path, contents: Buffer.concat([Buffer.from(nodeCheck('mcp')), contents]) }
  if (name !== 'standalone.js') return { path, contents }
  // The file is only copied, so it can stay compressed.
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

async function consoleFiles(): Promise<BuiltFile[]> {
  const built = await buildConsole(root)
  return built.map(({ name, contents }) => ({ path: join(dist, name), contents }))
}

function writeWhenChanged(path: string, content: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(content)) return
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, content)
  renameSync(temporary, path)
}

/** Removes files that earlier builds left in `dist/`. */
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
