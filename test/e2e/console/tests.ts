import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { NewSuiteRun } from '../../../src/shared/contract/testing/suite-runs.ts'
import { buildServer, deploy, echoServer, suiteRun } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { startModelStub } from '../../helpers/services/model-stub.ts'
import {
  daemon,
  expectAccessible,
  expectNoViolations,
  goto,
  HARMLESS,
  HOSTILE,
  show,
  useConsole,
} from './use-console.ts'

const PATH = '/servers/judged/tests'

describe.runIf(CHROMIUM !== undefined)('the test runs of a server in the console', () => {
  useConsole()
  let mcpId: string
  let deploymentId: string
  beforeAll(async () => {
    mcpId = await buildServer(daemon, echoServer('judged'))
    deploymentId = (await deploy(daemon, mcpId, 'development')).deployment_id
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
    await page.getByRole('link', { name: 'All runs' }).click()
    await page.getByRole('link', { name: 'older' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('link', { name: 'older' }).waitFor()
    expect(await page.getByRole('link', { name: HARMLESS }).count()).toBe(0)
    await expectAccessible(page)
  })

  test('runs the suite of a stored run again, then one of its cases, and stores both', async () => {
    const definition = {
      name: 'sayings',
      models: ['embedded'],
      cases: [
        { name: 'says it', message: 'call say with "hi"', expect: { tools: ['say'] } },
        { name: 'says nothing', message: 'call say with "hi"', expect: { tools: { never: ['say'] } } },
      ],
    }
    const { body: first } = await store(suiteRun(mcpId, { suite: 'sayings', definition }))
    const page = await show(`${PATH}?run=${first.id}`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the suite' }).click(),
    ])
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toEqual(definition)
    await page.getByRole('button', { name: 'Run again' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 cases with the build in development').waitFor()
    await expectNoViolations(page)
    await dialog.getByRole('button', { name: 'Run' }).click()
    await page.getByText('1 of 2 cases passed.').waitFor()
    await page.getByRole('row').filter({ hasText: '1 of 2' }).getByRole('link', { name: 'sayings' }).click()
    await page.getByText('tool say was used but is forbidden').waitFor()
    await page.getByRole('button', { name: 'Run this case' }).click()
    await dialog.getByText('1 case with the build in development').waitFor()
    await dialog.getByRole('button', { name: 'Run' }).click()
    await page.getByText('0 of 1 case passed.').waitFor()
    await page.getByRole('row').filter({ hasText: '0 of 1' }).waitFor()
    await expectAccessible(page)
    const { body } = await daemon.api('GET', '/api/suite-runs?server=judged&limit=2')
    const [last, whole] = body.items
    expect(whole).toMatchObject({ suite: 'sayings', mcpId, deploymentId, passed: 1, failed: 1 })
    const { body: run } = await daemon.api('GET', `/api/suite-runs/${last.id}`)
    expect(run.definition.cases).toEqual([definition.cases[1]])
    expect(run.cases[0].runs[0].transcript[1]).toMatchObject({ tool: 'say', text: 'You said hi' })
  })

  test('a suite keeps running while another view is shown, and a stopped run is not stored', async () => {
    const stub = await startModelStub('compatible', [{ silent: true }])
    onTestFinished(() => stub.close())
    const { body: stored } = await store(suiteRun(mcpId, { suite: 'endless' }))
    const page = await show(PATH)
    await page.getByRole('button', { name: 'Run the newest again' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Models').fill(`openai:m@${stub.url}, embedded`)
    await dialog.getByRole('button', { name: 'Run' }).click()
    const running = page.getByRole('region', { name: 'Running suite' })
    await running.getByText('0 of 2 cases finished').waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Traffic' }).waitFor()
    await page.getByRole('link', { name: 'Tests' }).click()
    await running.getByText('0 of 2 cases finished').waitFor()
    await expectNoViolations(page)
    await running.getByRole('button', { name: 'Stop' }).click()
    await running.waitFor({ state: 'detached' })
    await expect.poll(() => stub.requests.at(-1)?.aborted).toBe(true)
    const { body } = await daemon.api('GET', '/api/suite-runs?server=judged&limit=1')
    expect(body.items[0].id).toBe(stored.id)
  })

  test('shows the command for a suite that the page cannot run, and the recording time of a replayed run', async () => {
    const expectation = { calls: [{ tool: 'say', schema: { required: ['text'] } }] }
    const definition = { cases: [{ message: 'call say with hi', expect: expectation }] }
    const { body: checked } = await store(suiteRun(mcpId, { definition }))
    const page = await show(`${PATH}?run=${checked.id}`)
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByText(`mcp test --suite ${checked.id}`).waitFor()
    const { definition: _, ...bare } = suiteRun(mcpId)
    const [one] = bare.cases
    const replay = { recordedAt: '2026-01-05T10:00:00.000Z' }
    const { body: old } = await store({
      ...bare,
      cases: [{ ...one!, runs: [{ ...one!.runs[0]!, replay }] }],
    })
    await goto(`${PATH}?run=${old.id}`)
    await page.getByText('greets').click()
    await page.getByText(/^passed after .*, replayed, recorded/).waitFor()
    expect(await page.getByRole('button', { name: 'Save the suite' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByText('stored without its suite').waitFor()
  })

  test('shows the rest of a long run and of its conversations on request', async () => {
    const run = suiteRun(mcpId)
    const [one] = run.cases
    const transcript = Array.from({ length: 51 }, (_, number) => ({
      role: 'user' as const,
      text: `Line ${number}`,
    }))
    const cases = Array.from({ length: 101 }, (_, number) => ({
      ...one!,
      name: `case ${number}`,
      runs: [{ ...one!.runs[0]!, transcript }],
    }))
    const { body } = await store({ ...run, cases, passed: 101 })
    const page = await show(`${PATH}?run=${body.id}`)
    await page.getByText('case 99', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show more cases' }).click()
    await page.getByText('case 100', { exact: true }).click()
    await page.getByText('Line 49').waitFor()
    await page.getByRole('button', { name: 'Show more of the conversation' }).click()
    await page.getByText('Line 50').waitFor()
    expect(await page.getByRole('button', { name: /^Show more/ }).count()).toBe(0)
  })

  test('shows why a run was not stored, until the user dismisses the error', async () => {
    const definition = { cases: [{ name: 'says it', message: 'call say with "hi"' }] }
    await store(suiteRun(mcpId, { definition }))
    const page = await show(PATH)
    await page.getByRole('button', { name: 'Run the newest again' }).click()
    await page.route('**/api/suite-runs', route => route.abort())
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
    const running = page.getByRole('region', { name: 'Running suite' })
    await running.getByRole('alert').getByText('The run was not stored.').waitFor()
    await running.getByText('passed').first().waitFor()
    await expectNoViolations(page)
    await running.getByRole('button', { name: 'Dismiss' }).click()
    await running.waitFor({ state: 'detached' })
  })
})

/** A run with two models, one of which fails a case. */
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
