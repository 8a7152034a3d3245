#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `mcp needs Node.js 22.19 or newer, this is ${process.version}: install a newer one, or run it as \`npx mcp\`.`,
  )
  process.exit(2)
}
await import('../dist/cli.js')
