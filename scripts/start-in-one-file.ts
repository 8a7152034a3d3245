import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'

export interface StartOptions {
  root: string
  /** Modules that a start loads in this order before anything lazily loaded. */
  first: readonly string[]
  /** Lazily loaded modules that share code. */
  commands?: readonly string[]
  /** The commands that must start fastest. */
  fastest?: readonly string[]
}

/** Modules that at least two commands load. */
interface SharedModules {
  /** Modules that the start or one of the fastest commands loads. */
  fast: string[]
  others: string[]
  /** Whether a module loads any of the others. */
  needsOthers(path: string): boolean
}

/**
 * esbuild creates a file for each set of entries that share modules, and each lazily loaded module is an entry. The start of a
 * command was in 27 files and that of an instance in 26, at up to a millisecond each. This plugin makes every lazily loaded
 * module import everything loaded before it, so that no such set splits its code. Code that commands share is in two files,
 * because 100 kB that a command does not need take 5 ms: what the fastest commands load, and the rest.
 */
export function startInOneFile({ root, first, commands = [], fastest = [] }: StartOptions): Plugin {
  return {
    name: 'start-in-one-file',
    async setup({ onResolve, onLoad }) {
      const shared = await findShared(root, first.at(-1)!, commands, fastest)
      onResolve({ filter: /^\./, namespace: 'file' }, ({ path, importer, kind }) =>
        kind === 'dynamic-import' ? { path: join(dirname(importer), path), namespace: 'lazy' } : undefined,
      )
      onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => {
        const at = first.indexOf(path)
        const before = at < 0 ? first : first.slice(0, at)
        const isStarted = at < 0 || at === first.length - 1
        const together = [
          ...(isStarted ? shared.fast : []),
          ...(at < 0 && shared.needsOthers(path) ? shared.others : []),
        ]
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

async function findShared(
  root: string,
  start: string,
  commands: readonly string[],
  fastest: readonly string[],
): Promise<SharedModules> {
  const metafile = await analyze(root, [start, ...commands])
  const loadedBy = (path: string) => modulesOf(metafile, relative(root, path))
  const counts = new Map<string, number>()
  for (const command of commands)
    for (const path of loadedBy(command)) counts.set(path, (counts.get(path) ?? 0) + 1)
  const shared = [...counts].filter(([, count]) => count > 1).map(([path]) => path)
  const started = loadedBy(start)
  const fast = new Set([...started, ...fastest.flatMap(command => [...loadedBy(command)])])
  const others = new Set(shared.filter(path => !fast.has(path)))
  return {
    fast: [...started, ...shared.filter(path => fast.has(path))].map(path => resolve(root, path)),
    others: [...others].map(path => resolve(root, path)),
    needsOthers: path => [...loadedBy(path)].some(one => others.has(one)),
  }
}

async function analyze(root: string, entryPoints: string[]): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    outdir: 'dist',
    metafile: true,
    logLevel: 'silent',
  })
  return metafile
}

/** The module and all modules of this project that it imports, without lazily loaded ones. */
function modulesOf({ inputs }: Metafile, entry: string): Set<string> {
  const loaded = new Set([entry])
  for (const path of loaded)
    for (const { path: imported, kind, external } of inputs[path]!.imports)
      if (kind === 'import-statement' && !external) loaded.add(imported)
  return loaded
}
