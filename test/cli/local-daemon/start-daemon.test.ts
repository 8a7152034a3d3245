import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { startDaemon } from '../../../src/cli/local-daemon/start-daemon.ts'
import { homePaths } from '../../../src/shared/paths.ts'
import { createHome } from '../../helpers/daemon/mcp.ts'

afterEach(() => void vi.restoreAllMocks())

test('reports the time limit for the daemon of a concurrent start', async () => {
  const home = createHome()
  const lost = join(home.dir, 'lost.cjs')
  const error = { code: 'CONFLICT', message: 'A daemon is already running for the home.' }
  writeFileSync(lost, `console.log('${JSON.stringify({ error })}'); process.exit(5)`)
  const env = { ...home.env, NODE_OPTIONS: `--require ${lost}` }
  // Each look at the clock takes 50 ms, so that the limits pass quickly.
  let time = 0
  vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 50
    return time
  })
  const { signal } = new AbortController()
  await expect(
    startDaemon({ paths: homePaths(home.env), env, signal, output: {} as never }),
  ).rejects.toMatchObject({
    code: 'TIMEOUT',
    message: 'The daemon did not respond within 15 s.',
  })
  await home.remove()
})
