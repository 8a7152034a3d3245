import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * esbuild puts modules that several entries share into a file for each set of entries, and each lazily loaded module is
 * an entry: what a command starts with lay in 27 files in the end, at most of a millisecond each. Here every lazily
 * loaded module of ours is said to import all of `start` (which has been loaded whenever one of them is), so that no set
 * divides it. Such modules export names alone, no default.
 */
export function startInOneFile(start: string, before: readonly string[]): Plugin {
  return {
    name: 'start-in-one-file',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./, namespace: 'file' }, ({ path, importer, kind }) =>
        kind === 'dynamic-import' && !before.includes(importer)
          ? { path: join(dirname(importer), path), namespace: 'lazy' }
          : undefined,
      )
      onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => ({
        contents: `import ${JSON.stringify(start)}\nexport * from ${JSON.stringify(path)}`,
        resolveDir: dirname(path),
      }))
    },
  }
}
