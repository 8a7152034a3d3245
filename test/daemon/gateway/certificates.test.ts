import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Certificates } from '../../../src/daemon/gateway/tls/certificates.ts'

test('the local authority is created on a later attempt if it could not be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const directory = join(folder, 'tls')
  const certificates = new Certificates(directory)
  writeFileSync(directory, 'in the way')
  await expect(certificates.find('echo.localhost')).rejects.toThrow()
  rmSync(directory)
  expect(await certificates.find('echo.localhost')).toBeDefined()
})
