import type { Plugin } from 'esbuild'

/**
 * What packages bring along that the daemon never uses, and an idle one would hold for ever: of `rate-limiter-flexible` the
 * limiters of all other databases, of zod the languages besides English, half of it, which the models' SDKs would draw in
 * for all.
 */
export const leanPackages: Plugin = {
  name: 'lean-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^rate-limiter-flexible$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'lean',
      pluginData: { resolveDir },
    }))
    onLoad({ filter: /^rate-limiter-flexible$/, namespace: 'lean' }, ({ path, pluginData }) => ({
      contents: LIMITERS.map(name => `export { default as ${name} } from '${path}/lib/${name}.js'`).join(
        '\n',
      ),
      resolveDir: pluginData.resolveDir,
    }))
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

const LIMITERS = ['RateLimiterMemory', 'RateLimiterRes', 'RateLimiterSQLite']
