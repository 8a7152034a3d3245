import http from 'node:http'
import { builtinModules, createRequire } from 'node:module'
import type { Plugin } from 'esbuild'

const require = createRequire(import.meta.url)

/**
 * An `import` of `node:http` reads all its properties, and the lazy `WebSocket` among them loads Node's whole fetch
 * implementation, which takes 25 ms at the start and 14 MB of memory (measured). With `getBuiltinModule`, that property stays
 * unread (https://nodejs.org/api/process.html#processgetbuiltinmoduleid).
 */
export const lightHttpImport: Plugin = {
  name: 'light-http-import',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' || kind === 'dynamic-import'
        ? { path: 'node:http', namespace: 'light' }
        : undefined,
    )
    onLoad({ filter: /^node:http$/, namespace: 'light' }, () => ({
      contents: `const http = process.getBuiltinModule('node:http')
export default http
export const { ${httpNames().join(', ')} } = http`,
    }))
  },
}

function httpNames(): string[] {
  const lazy = ['WebSocket', 'CloseEvent', 'MessageEvent']
  return Object.keys(http).filter(name => !lazy.includes(name))
}

/**
 * Loads Node modules on first use, for a fast start of the CLI. Each importing file gets its own stand-in, because a shared one
 * would become a separate file, and a file costs a millisecond.
 */
export const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./, namespace: 'file' }, ({ path, importer, kind }) => {
      const name = path.replace(/^node:/, '')
      // Dynamic imports are lazy anyway, and their namespace must have all names.
      if (!builtinModules.includes(name) || kind === 'dynamic-import') return undefined
      return { path: `node:${name}`, namespace: 'lazy', suffix: `?${importer}` }
    })
    onLoad({ filter: /^node:/, namespace: 'lazy' }, ({ path }) => ({ contents: lazyModule(path) }))
  },
}

/**
 * Removes imports of Node modules from exported servers, so that the file links on every Node version and its version check can
 * run. Otherwise, a name that an old Node lacks would cause a SyntaxError first.
 */
export const linkingBuiltins: Plugin = {
  name: 'linking-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./, namespace: 'file' }, ({ path, kind }) => {
      const name = path.replace(/^node:/, '')
      if (!builtinModules.includes(name) || kind !== 'import-statement') return undefined
      return { path: `node:${name}`, namespace: 'linking' }
    })
    onLoad({ filter: /^node:/, namespace: 'linking' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }))
  },
}

/** CommonJS, so that esbuild reads properties where they are used. A module that is a function must be the real one. */
function lazyModule(path: string): string {
  const real = `process.getBuiltinModule(${JSON.stringify(path)})`
  if (typeof require(path) === 'function') return `module.exports = ${real}`
  return `module.exports = Object.create(new Proxy({}, { get: (_, name) => ${real}[name] }))`
}
