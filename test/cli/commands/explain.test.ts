import { afterAll, beforeAll, expect, test } from 'vitest'
import { ERROR_CODES } from '../../../src/shared/errors.ts'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome
beforeAll(() => {
  home = createHome()
})
afterAll(() => home.remove())

test('explain lists all error codes and exit codes without starting the daemon', async () => {
  const { stdout } = await home.mcp(['explain'])
  for (const code of ERROR_CODES) expect(stdout).toMatch(new RegExp(`^${code} +\\d+ +\\w`, 'm'))
  expect(stdout).toMatch(/^130 +interrupted/m)
  const { errors, exit_codes } = await home.json<{ errors: object[]; exit_codes: object[] }>(['explain'])
  expect(errors).toHaveLength(ERROR_CODES.length)
  expect(exit_codes).toContainEqual(expect.objectContaining({ exit: 6, errors: ['RATE_LIMITED'] }))
  expect(home.discovery()).toBeUndefined()
})

test('explain accepts an exit code or an error code in upper or lower case, and suggests a similar code', async () => {
  const { stdout } = await home.mcp(['explain', 'upstream_failed'])
  expect(stdout).toMatch(/^UPSTREAM_FAILED: .* Exit code 7\.\n\nUsual causes:\n- .*mcp logs\n$/s)
  expect((await home.mcp(['explain', '4'])).stdout).toMatch(/^Exit code 4: not found\..*NOT_FOUND/s)
  const wrong = await home.mcp(['explain', 'NOT_FUND'])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean NOT_FOUND?') })
})
