import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
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

test('a note is unused only if its package is gone, regardless of its age', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-packages-'))
  const packages = new Packages(directory, new AbortController().signal)
  for (const digest of ['used', 'unused', 'removed']) {
    mkdirSync(join(directory, digest))
    writeFileSync(
      join(directory, `${digest}-note.json`),
      JSON.stringify({ digest, bin: 'x', version: '1.0.0' }),
    )
  }
  rmSync(join(directory, 'removed'), { recursive: true })
  const now = Date.now()
  const old = new Date(now - 91 * 24 * 3600_000)
  for (const name of readdirSync(directory)) if (name !== 'used') utimesSync(join(directory, name), old, old)
  expect((await packages.unused(now)).sort()).toEqual(['removed-note.json', 'unused'])
  rmSync(directory, { recursive: true })
})
