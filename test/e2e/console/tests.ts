import { beforeAll, describe, expect, test } from 'vitest'
import type { NewSuiteRun } from '../../../src/shared/contract/projects/suite-runs.ts'
import { buildServer, createKey, deploy, echoServer, suiteRun } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import {
  daemon,
  expectAccessible,
  expectNoViolations,
  HARMLESS,
  HOSTILE,
  show,
  useConsole,
} from './use-console.ts'

const PATH = '/servers/judged/tests'

describe.runIf(CHROMIUM !== undefined)('the test runs of a server in the console', () => {
  useConsole()
  let mcpId: string
  beforeAll(async () => {
    mcpId = await buildServer(daemon, echoServer('judged'))
    await deploy(daemon, mcpId, 'development')
  })

  const store = (run: NewSuiteRun) => daemon.api('POST', '/api/suite-runs', { body: run })

  test('shows a run as soon as it is stored, with failures first, and removes it after confirmation', async () => {
    const page = await show(PATH)
    await page.getByRole('heading', { name: 'No test runs yet' }).waitFor()
    await expectNoViolations(page)
    await store(suiteRun(mcpId, { suite: 'older' }))
    await store(failedRun(mcpId))
    await page.getByRole('row').filter({ hasText: HARMLESS }).getByText('1 of 2').waitFor()
    await page.getByRole('link', { name: HARMLESS }).click()
    await page.getByText('The reply does not contain "Oslo".').first().waitFor()
    await page.getByText(`You said ${HARMLESS}`).first().waitFor()
    const [failed, passed] = [
      page.getByRole('listitem').filter({ hasText: 'asks the tool' }),
      page.getByText('greets'),
    ]
    await failed.getByText('large 0 of 2').waitFor()
    expect(await page.getByText('Say hello').count()).toBe(0)
    await passed.click()
    await page.getByText('Say hello').waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('link', { name: 'older' }).waitFor()
    expect(await page.getByRole('link', { name: HARMLESS }).count()).toBe(0)
    await expectAccessible(page)
  })

  test('shows which scope a key lacks', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ'] })
    const page = await show(PATH, { key })
    await page.getByRole('alert').getByText(/CHAT/).first().waitFor()
  })
})

/** Two models, of which one fails a case. */
function failedRun(mcpId: string): NewSuiteRun {
  const [passed] = suiteRun(mcpId).cases
  const run = {
    ...passed!.runs[0]!,
    status: 'failed' as const,
    failures: ['The reply does not contain "Oslo".'],
    transcript: [
      { role: 'user' as const, text: 'How warm is it in Oslo?' },
      {
        role: 'tool' as const,
        tool: 'say',
        arguments: '{}',
        text: `You said ${HOSTILE}`,
        error: null,
        seconds: 0.004,
      },
    ],
  }
  const failed = {
    ...passed!,
    name: 'asks the tool',
    status: 'failed' as const,
    passRate: 0,
    runs: [run, run],
  }
  return suiteRun(mcpId, {
    suite: HOSTILE,
    models: ['small', 'large'],
    status: 'failed',
    failed: 1,
    cases: [
      { ...passed!, model: 'small' },
      { ...failed, model: 'large' },
    ],
  })
}
