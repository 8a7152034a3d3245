import { readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'

/** Generates clients from the `openapi.json` of a folder into that folder, with default options: `node generate.ts <folder>`. */

// Both generators print code with the API of TypeScript 5, which TypeScript 7 lacks.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
})

const folder = process.argv[2]!
const input = join(folder, 'openapi.json')
const { default: openapiTypescript, astToString } = await import('openapi-typescript')
const { createClient } = await import('@hey-api/openapi-ts')
const types = await openapiTypescript(JSON.parse(readFileSync(input, 'utf8')))
writeFileSync(join(folder, 'api.d.ts'), astToString(types))
await createClient({ input, output: join(folder, 'hey-api'), logs: { level: 'silent' } })
