import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Packages } from '../../../../src/daemon/builder/program/packages.ts'

test('reports the package that cannot be installed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-packages-'))
  const packages = new Packages(directory, new AbortController().signal)
  const command = { spec: './nothing-here.tgz', name: 'nothing', bin: undefined, args: [] }
  await expect(packages.install(command)).rejects.toMatchObject({
    code: 'INVALID_MCP',
    message: 'npm cannot install the package "./nothing-here.tgz".',
  })
  rmSync(directory, { recursive: true })
})
