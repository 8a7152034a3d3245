import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDaemon } from '../../src/daemon/daemon.ts'
import type { DaemonConfig } from '../../src/daemon/daemon-config.ts'
import { homePaths } from '../../src/shared/paths.ts'

test('reports a port in use and starts nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-daemon-'))
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  const config: DaemonConfig = {
    home: homePaths({ MCP_HOME: folder }),
    port,
    instanceProgram: 'never-started',
    nonce: '',
    startedAt: '',
    warmSpares: 2,
  }
  await expect(createDaemon(config)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(existsSync(join(config.home.logs, 'spares')), 'a spare was started').toBe(false)
  other.close()
  rmSync(folder, { recursive: true })
})

test('a daemon that fails to start releases its port', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-daemon-'))
  const free = createServer()
  await new Promise<void>(resolve => free.listen(0, '127.0.0.1', resolve))
  const { port } = free.address() as { port: number }
  await new Promise(resolve => free.close(resolve))
  const config: DaemonConfig = {
    home: homePaths({ MCP_HOME: folder }),
    port,
    instanceProgram: 'never-started',
    nonce: '',
    startedAt: '',
    warmSpares: 2,
    get enterpriseLimit(): number {
      throw new Error('no such limit')
    },
  }
  await expect(createDaemon(config)).rejects.toThrow('no such limit')
  await new Promise<void>((resolve, reject) => {
    free.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  free.close()
  rmSync(folder, { recursive: true })
})
