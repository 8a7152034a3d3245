import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Artifact } from '../shared/artifact.ts'
import { runStandalone } from './standalone-server.ts'

// The program of `mcp export --bundle`: the artifact lies beside it, and so does the code of handler modules.
const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const artifact: Artifact = JSON.parse(read('artifact.json'))
const bundle = artifact.program?.type === 'module' ? read('handlers.mjs') : undefined
await runStandalone({ artifact, bundle, folder: fileURLToPath(new URL('.', import.meta.url)) }, process.env)
