import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { HostingError } from '../../../shared/errors.ts'
import { NODE_TARGET } from '../../../shared/supported-node.ts'
import { toBundleError } from './bundle-errors.ts'
import { requireInside } from './bundle-inputs.ts'
import type { ProjectModule } from './find-modules.ts'
import { runEsbuild } from './run-esbuild.ts'
import { inlineSourceMap } from './source-map.ts'

export interface BundleOptions {
  /** The project, absolute; `node_modules` in it holds what it depends on. */
  directory: string
  modules: readonly ProjectModule[]
  /** File of `mcp-hosting/server`. */
  sdk: string
}

/** Name of the generated module that imports all of the project's. */
export const ENTRY = 'mcp-hosting:project'

/** Stands for the file that the code was in: nothing of the project is there to be read at run time. */
const SERVER_FILE = '/server/server.mjs'

/** Every instance that starts is sent all of it. */
const MAX_CHARACTERS = 64_000_000
const MEGA = 1_000_000

/**
 * The project as one ECMAScript module with an inline source map. Its default export is
 * `{ definitions: [{ kind, path, export, definition }] }`, in the order of `modules`. The same files give the same text,
 * wherever they lie. Throws INVALID_MCP with file, line, column and excerpt.
 */
export async function bundleProject(options: BundleOptions): Promise<string> {
  const result = await runEsbuild(optionsFor(options)).catch(error => {
    throw toBundleError(error, options.directory)
  })
  requireInside(result.metafile!.inputs)
  const [map, code] = ['.map', '.mjs'].map(end => result.outputFiles!.find(({ path }) => path.endsWith(end))!)
  return requireSize(inlineSourceMap(code!.text, map!.text))
}

function requireSize(bundle: string): string {
  if (bundle.length <= MAX_CHARACTERS) return bundle
  throw new HostingError(
    'INVALID_MCP',
    `The bundled source has ${Math.round(bundle.length / MEGA)} MB; a server may have ${MAX_CHARACTERS / MEGA} MB.`,
    {
      details:
        'Large files belong to a service that the server calls, and large packages can often be imported in part.',
    },
  )
}

function optionsFor({ directory, modules, sdk }: BundleOptions): BuildOptions {
  return {
    stdin: { contents: entryOf(modules), resolveDir: directory, sourcefile: ENTRY, loader: 'js' },
    absWorkingDir: directory,
    outfile: 'server.mjs',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    // The oldest Node that the product supports: an exported bundle runs on the same ones.
    target: NODE_TARGET,
    sourcemap: 'external',
    sourcesContent: true,
    // Names stay, for those who look into a trace without the map.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'silent',
    // Packages lie behind one link; their real paths differ from machine to machine, and the bundle with them.
    preserveSymlinks: true,
    loader: TEXT_AND_BINARY,
    // Bundled CommonJS packages still call require() for Node's own modules.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(process.execPath);",
    },
    define: {
      'import.meta.url': JSON.stringify(`file://${SERVER_FILE}`),
      'import.meta.filename': JSON.stringify(SERVER_FILE),
      'import.meta.dirname': '"/server"',
      __filename: JSON.stringify(SERVER_FILE),
      __dirname: '"/server"',
    },
    plugins: [sdkFrom(sdk)],
    ...tsconfigOf(directory),
  }
}

/** The project's own; esbuild would take one of the folders above as well. */
function tsconfigOf(directory: string): Pick<BuildOptions, 'tsconfig' | 'tsconfigRaw'> {
  const tsconfig = join(directory, 'tsconfig.json')
  return existsSync(tsconfig) ? { tsconfig } : { tsconfigRaw: {} }
}

/** A process of user code reads no files, so what a server needs of them is imported. */
export const TEXT_AND_BINARY: Record<string, 'text' | 'binary'> = {
  ...loaders('text', ['txt', 'md', 'sql', 'html', 'csv', 'graphql', 'svg', 'xml', 'yaml', 'yml']),
  ...loaders('binary', ['wasm', 'png', 'jpg', 'jpeg', 'gif', 'webp', 'mp3', 'wav', 'ogg', 'pdf']),
}

function loaders<Kind extends string>(kind: Kind, extensions: readonly string[]): Record<string, Kind> {
  return Object.fromEntries(extensions.map(extension => [`.${extension}`, kind]))
}

/** The default import, not the namespace, so that a module without one is found while bundling. */
function entryOf(modules: readonly ProjectModule[]): string {
  const imports = modules.map(
    ({ path, export: name }, index) =>
      `import { ${nameOf(name)} as m${index} } from ${JSON.stringify(`./${path}`)}`,
  )
  const definitions = modules.map(
    (one, index) =>
      `  { kind: ${JSON.stringify(one.kind)}, path: ${JSON.stringify(one.path)}, export: ${JSON.stringify(one.export)}, definition: m${index} },`,
  )
  return [...imports, 'export default { definitions: [', ...definitions, '] }', ''].join('\n')
}

/** Any string may name an export (ECMAScript 2022). */
function nameOf(exported: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(exported) ? exported : JSON.stringify(exported)
}

/** `mcp-hosting/server` is the one that belongs to this daemon, whether the project has the package or not. */
function sdkFrom(file: string): Plugin {
  return {
    name: 'mcp-hosting-server',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^mcp-hosting\/server$/ }, ({ path }) => ({ path, namespace: 'sdk' }))
      onLoad({ filter: /./, namespace: 'sdk' }, () => ({ contents: readFileSync(file), loader: 'js' }))
    },
  }
}
