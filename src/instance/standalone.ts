import { readFileSync } from 'node:fs'
import { runStandalone } from './standalone-server.ts'

// The program of `mcp export --bundle`: the artifact lies beside it as `artifact.json`.
const artifact = JSON.parse(readFileSync(new URL('artifact.json', import.meta.url), 'utf8'))
await runStandalone(artifact, process.env)
