import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Artifact } from '../shared/definitions/artifact.ts'
import { runStandalone } from './standalone/standalone-server.ts'

// The program of `mcp export --bundle`. The artifact and the code of handler modules are in the same folder.
const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const artifact: Artifact = JSON.parse(read('artifact.json'))
const bundle = artifact.program?.type === 'module' ? read('handlers.mjs') : undefined
await runStandalone({ artifact, bundle, folder: fileURLToPath(new URL('.', import.meta.url)) }, process.env)
