import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'

export interface StartOptions {
  root: string
  /** Modules that a start loads in this order before a command. */
  first: readonly string[]
  /** Code that several modules loaded after these have in common is kept in one file. */
  commands: readonly string[]
}

/**
 * esbuild creates a file for each set of entries that share modules, and each lazily loaded module is an entry. The start of a
 * command was in 27 files, at up to a millisecond each. This plugin makes every lazily loaded module import everything loaded
 * before it. Code that several commands share counts as loaded before, so that no set divides it.
 */
export function startInOneFile({ root, first, commands }: StartOptions): Plugin {
  return {
    name: 'start-in-one-file',
    async setup({ onResolve, onLoad }) {
      const common = await findCommon(root, first.at(-1)!, commands)
      onResolve({ filter: /^\./, namespace: 'file' }, ({ path, importer, kind }) =>
        kind === 'dynamic-import' ? { path: join(dirname(importer), path), namespace: 'lazy' } : undefined,
      )
      onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => {
        const at = first.indexOf(path)
        const before = at < 0 ? first : first.slice(0, at)
        const together = at < 0 || at === first.length - 1 ? common : []
        return { contents: facade(path, [...before, ...together]), resolveDir: dirname(path) }
      })
    },
  }
}

function facade(path: string, before: readonly string[]): string {
  const names = /^export default /m.test(readFileSync(path, 'utf8')) ? ['{ default }', '*'] : ['*']
  const lines = [
    ...before.map(file => `import ${JSON.stringify(file)}`),
    ...names.map(name => `export ${name} from ${JSON.stringify(path)}`),
  ]
  return lines.join('\n')
}

/** Modules of this project that `start` or at least two commands load. */
async function findCommon(root: string, start: string, commands: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [start, ...commands],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    outdir: 'dist',
    metafile: true,
    logLevel: 'silent',
  })
  const importsOf = (path: string) =>
    metafile.inputs[path]!.imports.filter(({ kind, external }) => kind === 'import-statement' && !external)
  const users = new Map<string, number>()
  // Modules of the start are always common, so they count twice.
  for (const entry of [start, start, ...commands]) {
    const loaded = new Set([relative(root, entry)])
    for (const path of loaded) for (const one of importsOf(path)) loaded.add(one.path)
    for (const path of loaded) users.set(path, (users.get(path) ?? 0) + 1)
  }
  return [...users].filter(([, count]) => count > 1).map(([path]) => resolve(root, path))
}
