// Lets tests import `mcp-hosting/server` without an installation: node --import ./types/register.mjs --test
import { registerHooks } from 'node:module'

const url = new URL('mcp-hosting/server.js', import.meta.url).href

registerHooks({
  resolve: (name, context, next) =>
    name === 'mcp-hosting/server' ? { url, format: 'module', shortCircuit: true } : next(name, context),
})
