import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/**
 * Removes unused parts of packages: limiters of `rate-limiter-flexible` for other databases, locales of zod except English
 * (half of the package), mocks, interceptors, retries, redirects, some pools, cookies, WebSockets and event sources of undici,
 * the gateway of the AI SDK, inquirer's editor prompt with its character set tables, and the schema of Swagger 2.0, which is
 * rejected before it is validated. The OpenAPI parser uses `yaml`, like everything else, instead of a second YAML package.
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
    // Models are given with their vendor, never as text for the gateway.
    onLoad({ filter: /[\\/]@ai-sdk[\\/]gateway[\\/]dist[\\/]index\.m?js$/ }, () => ({ contents: NO_GATEWAY }))
    onLoad({ filter: /[\\/]openapi-schemas[\\/]schemas[\\/]v(?:1\.2|2\.0)[\\/]\w+\.json$/ }, () => ({
      contents: '{}',
      loader: 'json',
    }))
    onLoad(
      { filter: /[\\/]json-schema-ref-parser[\\/]dist[\\/]lib[\\/]parsers[\\/]yaml\.js$/ },
      async ({ path }) => ({
        contents: (await readFile(path, 'utf8')).replace(JS_YAML, YAML),
      }),
    )
    onLoad({ filter: UNDICI_UNUSED }, () => ({ contents: 'module.exports = {}' }))
    onLoad({ filter: /[\\/]@inquirer[\\/]editor[\\/]dist[\\/]index\.js$/ }, () => ({
      contents: 'export default undefined',
    }))
  },
}

/** For `define`: undici's switch for Node bundles, which removes its experimental parser. */
export const LEAN_UNDICI = { esbuildDetection: 'true' }

const NO_GATEWAY = `export class GatewayError { static isInstance() { return false } }
export class GatewayAuthenticationError extends GatewayError {}
export const gateway = undefined
export const createGateway = undefined`
const JS_YAML = /import yaml from "js-yaml";\s*import \{ JSON_SCHEMA \} from "js-yaml";/
// Imported on use, like in our code, so that both load the same file.
const YAML = `const JSON_SCHEMA = undefined
const yaml = { load: async text => (await import('yaml')).parse(text) }`
const LIMITERS = ['RateLimiterMemory', 'RateLimiterRes', 'RateLimiterSQLite']
const UNDICI_UNUSED =
  /[\\/]undici[\\/]lib[\\/](?:(?:mock|interceptor|web[\\/](?:cookies|websocket|eventsource))[\\/].*|cache[\\/](?:sqlite|memory)-cache-store|handler[\\/](?:retry|redirect|decorator)-handler|dispatcher[\\/](?:balanced-pool|round-robin-pool|retry-agent|h2c-client))\.js$/
