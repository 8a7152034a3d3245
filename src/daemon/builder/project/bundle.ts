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
  /** Absolute path of the project, with its dependencies in `node_modules`. */
  directory: string
  modules: readonly ProjectModule[]
  /** File of `mcp-hosting/server`. */
  sdk: string
}

/** Name of the generated module that imports all modules of the project. */
const ENTRY = 'mcp-hosting:project'

/** Path of the code at run time. The project's files do not exist there. */
const SERVER_FILE = '/server/server.mjs'

/** Maximum length of a bundle, because each new instance receives the whole bundle. */
const MAX_CHARACTERS = 64_000_000
const MEGA = 1_000_000

/**
 * Bundles the project into one ECMAScript module with an inline source map. Its default export is
 * `{ definitions: [{ kind, path, export, definition }] }`, in the order of `modules`. Equal files result in equal text, in
 * any folder. Throws INVALID_MCP with file, line, column and excerpt.
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
    `The bundled source is ${Math.round(bundle.length / MEGA)} MB; the maximum is ${MAX_CHARACTERS / MEGA} MB.`,
    {
      details:
        'Move large files to a service that the server calls, and import only parts of large packages.',
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
    // The oldest supported version of Node, because exported bundles run on every supported one.
    target: NODE_TARGET,
    sourcemap: 'external',
    sourcesContent: true,
    // Names are kept for stack traces without the source map.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'silent',
    // `node_modules` is a symbolic link. The real paths of packages would make the bundle differ between machines.
    preserveSymlinks: true,
    loader: TEXT_AND_BINARY,
    // Bundled CommonJS packages still call require() for Node's modules.
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

/** Only the project's own `tsconfig.json`. esbuild would also use one in a parent folder. */
function tsconfigOf(directory: string): Pick<BuildOptions, 'tsconfig' | 'tsconfigRaw'> {
  const tsconfig = join(directory, 'tsconfig.json')
  return existsSync(tsconfig) ? { tsconfig } : { tsconfigRaw: {} }
}

/** Types of files that servers import as text or bytes, because processes with user code cannot read files. */
export const TEXT_AND_BINARY: Record<string, 'text' | 'binary'> = {
  ...loaders('text', ['txt', 'md', 'sql', 'html', 'csv', 'graphql', 'svg', 'xml', 'yaml', 'yml']),
  ...loaders('binary', ['wasm', 'png', 'jpg', 'jpeg', 'gif', 'webp', 'mp3', 'wav', 'ogg', 'pdf']),
}

function loaders<Kind extends string>(kind: Kind, extensions: readonly string[]): Record<string, Kind> {
  return Object.fromEntries(extensions.map(extension => [`.${extension}`, kind]))
}

/** Imports names instead of namespaces, so that bundling fails for a missing export. */
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

/** Quotes the name of an export if necessary, because any string may be a name (ECMAScript 2022). */
function nameOf(exported: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(exported) ? exported : JSON.stringify(exported)
}

/** Resolves `mcp-hosting/server` to this daemon's version, even if the project has the package. */
function sdkFrom(file: string): Plugin {
  return {
    name: 'mcp-hosting-server',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^mcp-hosting\/server$/ }, ({ path }) => ({ path, namespace: 'sdk' }))
      onLoad({ filter: /./, namespace: 'sdk' }, () => ({ contents: readFileSync(file), loader: 'js' }))
    },
  }
}
