import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { eventually } from '../../../helpers/daemon/mcp.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'
import { descendantsOf, isRunning } from '../../../helpers/processes.ts'
import { filesWithDependency, listen } from '../../../helpers/services/npm-registry.ts'

const NPM_INSTALL = fileURLToPath(
  new URL('../../../../src/daemon/builder/project/npm-install.ts', import.meta.url),
)

test('npm stops when its parent process is killed', async () => {
  let asked = false
  const silent = createServer(() => {
    asked = true // and never answers
  })
  const url = `http://127.0.0.1:${await listen(silent)}/tiny.tgz`
  const integrity = `sha512-${Buffer.alloc(64, 1).toString('base64')}`
  using folder = createProjectFolder(filesWithDependency({ url, integrity }))
  const code = `import { npmInstall } from ${JSON.stringify(NPM_INSTALL)}
    await npmInstall(${JSON.stringify(folder.path)}, new AbortController().signal)`
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', code])
  await eventually(() => asked)
  const family = descendantsOf(parent.pid!)
  expect(family.length).toBeGreaterThanOrEqual(2)
  parent.kill('SIGKILL')
  await eventually(() => !family.some(isRunning))
  silent.closeAllConnections()
  silent.close()
})
