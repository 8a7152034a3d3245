import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { VendorKeys } from '../../../../src/daemon/services/access/model-keys.ts'
import { SecretBox } from '../../../../src/daemon/services/access/secrets.ts'
import type { ServiceDependencies } from '../../../../src/daemon/services/dependencies.ts'

test('the error for a saved key that cannot be decrypted names its vendor', () => {
  const saved = { sealed: new SecretBox(randomBytes(32), 'old.key').seal('sk-1'), baseUrl: null }
  const store = { modelKeys: { find: (vendor: string) => (vendor === 'openai' ? saved : undefined) } }
  const secrets = new SecretBox(randomBytes(32), 'secret.key')
  const keys = new VendorKeys({ store, secrets } as unknown as ServiceDependencies, {})
  expect(() => keys.resolve()).toThrow('The saved key for openai cannot be decrypted')
})
