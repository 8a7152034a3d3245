import { expect, test } from 'vitest'
import { checkEnv, tenantEnv } from '../../../../src/daemon/services/deployments/deployment-env.ts'
import type { Build } from '../../../../src/daemon/store/tables/builds.ts'

const declaring = (...env: Build['env']) => ({ name: 'echo', env }) as Build
const named = (name: string, required = false) => ({ name, required })

const place = { stored: {}, environment: 'staging' }

test('accepts variables with the names of Object.prototype properties', () => {
  const build = declaring(named('constructor', true))
  expect(() => checkEnv(build, {}, place)).toThrow(/needs the environment variable constructor/)
  expect(tenantEnv(declaring(named('toString')), {})).toEqual({})
  expect(tenantEnv(build, { constructor: 'x' })).toEqual({ constructor: 'x' })
})

test('lists only the first of many unknown variables', () => {
  const given = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`WRONG_${index}`, 'secret']))
  const error = (() => {
    try {
      checkEnv(
        declaring(...Array.from({ length: 1000 }, (_, index) => named(`RIGHT_${index}`))),
        given,
        place,
      )
    } catch (thrown) {
      return thrown as Error & { details: string }
    }
  })()!
  expect(error.message).toMatch(/WRONG_19 and 49980 more\. It declares RIGHT_0, .* and 980 more/)
  expect(error.details.length).toBeLessThan(2000)
  expect(error.message + error.details).not.toContain('secret')
})
