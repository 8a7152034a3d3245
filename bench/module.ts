import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { BenchDaemon, Deployed } from './daemon.ts'

/** Typical code: an async handler, and a schema that validates every call. */
const ECHO = `import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Gives the text back',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: async ({ text }: { text: string }) => text,
})
`

/** Builds and deploys the echo server as a handler module, in a sealed process. */
export async function deployModuleEcho(daemon: BenchDaemon, name: string): Promise<Deployed> {
  const { id } = await daemon.call<{ id: string }>('POST', '/api/projects', { name })
  const { sourceId: source } = await daemon.call<{ sourceId: string }>(
    'PUT',
    `/api/projects/${id}/source`,
    packEcho(),
  )
  const { mcp_id } = await daemon.call('POST', '/v1/build', { name, template: 'custom', source })
  const config = { scaling: { min_instances: 1, max_instances: 1 } }
  return daemon.call<Deployed>('POST', '/v1/deploy', { mcp_id, environment: 'production', config })
}

function packEcho(): Buffer {
  return packFiles({ 'tools/echo.ts': ECHO })
}

/** A .tar.gz of these files. Keys are paths, and values are their contents. */
export function packFiles(files: Record<string, string>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bench-module-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    return execFileSync('tar', ['-cz', '-C', folder, '.'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
