import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createKeyFile, openSecretBox } from '../../../../src/daemon/services/access/secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-secrets-'))

afterAll(() => rmSync(folder, { recursive: true }))

const created = (name: string) => {
  createKeyFile(join(folder, name))
  return openSecretBox(join(folder, name))
}
const box = created('secret.key')

test('only the owner can read the key file, and reopening it returns the same key', () => {
  expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600)
  const again = openSecretBox(join(folder, 'secret.key'))
  expect(again.unseal(box.seal('päss\u0000word'))).toBe('päss\u0000word')
})

test('encrypts the same text to different bytes', () => {
  expect(box.seal('a').equals(box.seal('a'))).toBe(false)
})

test('rejects an encrypted value that was changed', () => {
  const sealed = box.seal('secret')
  for (const at of [0, 13, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(() => box.unseal(changed)).toThrow(/cannot be decrypted/)
  }
})

test('rejects values that were encrypted with another key', () => {
  const other = created('other.key')
  expect(() => other.unseal(box.seal('secret'))).toThrow(/cannot be decrypted/)
})

test('the error for a value that cannot be decrypted names it, both possible causes and what to do', () => {
  const names = { what: 'The saved key for openai', replace: 'save the key again' }
  const error = expect.objectContaining({
    message: `The saved key for openai cannot be decrypted with the key file ${join(folder, 'secret.key')}: altered, or encrypted with another key.`,
    details: 'Stop the daemon and put the old key file back, or save the key again.',
  })
  expect(() => box.unseal(Buffer.alloc(40), names)).toThrow(error)
})

test('derives one stable key per purpose', () => {
  expect(box.derive('a')).toBe(box.derive('a'))
  expect(box.derive('a')).not.toBe(box.derive('b'))
  expect(Buffer.from(box.derive('a'), 'base64')).toHaveLength(32)
})
