import { basename, dirname, relative } from 'node:path'
import { type BuildOptions, build, type OutputFile, type Plugin } from 'esbuild'

/**
 * Packages that several programs load, each bundled into one file that all of them share. They are built into the folder of the
 * instance, the only folder that processes of handler modules may read.
 */
const FOLDER = 'instance'
/** Exports that the programs use. esbuild removes the rest. `test/bundles.test.ts` finds missing names. */
const PACKAGES: Record<string, string> = {
  undici: `export { Agent, default, EnvHttpProxyAgent, fetch, Pool, request } from 'undici'`,
  ajv: `export { Ajv } from 'ajv'
export { Ajv2020 } from 'ajv/dist/2020.js'
export { default } from 'ajv-formats'`,
  liquidjs: `export { Context, Liquid, Output, toValue, toValueSync } from 'liquidjs'`,
  tar: `export { create, Parser } from 'tar'`,
  yaml: `export * from 'yaml'`,
  'mcp-client': `export {
  auth, Client, computeScopeUnion, discoverAuthorizationServerMetadata, extractWWWAuthenticateParams, LOG_LEVEL_META_KEY, OAuthError,
  refreshAuthorization, RegistrationRejectedError, StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'`,
}

const FILE_OF: Record<string, string> = {
  undici: 'undici',
  ajv: 'ajv',
  'ajv/dist/2020.js': 'ajv',
  'ajv-formats': 'ajv',
  liquidjs: 'liquidjs',
  tar: 'tar',
  yaml: 'yaml',
  '@modelcontextprotocol/client': 'mcp-client',
}
/** Placeholder for the path of a shared file until the location of the importing file is known. */
const PLACEHOLDER = 'shared-package:'

/** True for packages, except one whose import of `yaml` is ours (`lean-packages.ts`). */
function keepsCopy(importer: string): boolean {
  return importer.includes('node_modules') && !importer.includes('json-schema-ref-parser')
}

/**
 * Leaves imports of shared packages in `src/` to `linkShared`. Packages that import them keep a copy, and so does a program for
 * the packages in `except`.
 */
export function sharedPackages({ except = [] }: { except?: readonly string[] } = {}): Plugin {
  return {
    name: 'shared-packages',
    setup({ onResolve }) {
      onResolve({ filter: /^[a-z@]/ }, ({ path, importer }) => {
        const file = FILE_OF[path]
        if (!file || except.includes(file) || keepsCopy(importer)) return undefined
        return { path: PLACEHOLDER + file, external: true, sideEffects: false }
      })
    },
  }
}

export async function buildShared(common: BuildOptions): Promise<OutputFile[]> {
  const results = await Promise.all(
    Object.entries(PACKAGES).map(([name, contents]) =>
      build({
        ...common,
        stdin: { contents, resolveDir: common.absWorkingDir!, sourcefile: `${name}.js` },
        entryNames: `${FOLDER}/${name}-[hash]`,
        minify: true,
      }),
    ),
  )
  return results.flatMap(({ outputFiles }) => outputFiles ?? [])
}

/** The contents of a bundle with the paths of the shared files that it imports. */
export function linkShared(
  { path, text }: Pick<OutputFile, 'path' | 'text'>,
  shared: readonly OutputFile[],
): Uint8Array {
  const linked = text.replaceAll(new RegExp(`(["'])${PLACEHOLDER}([a-z-]+)\\1`, 'g'), (_, _quote, name) => {
    const file = shared.find(one => basename(one.path).startsWith(`${name}-`))!
    const target = relative(dirname(path), file.path)
    return JSON.stringify(target.startsWith('.') ? target : `./${target}`)
  })
  return Buffer.from(linked)
}
