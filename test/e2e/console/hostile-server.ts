import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { host } from '../programs/hosted-program.ts'
import { expectBoundedMemory, expectUnharmed, watchIntrusions } from './hostile-page.ts'
import { daemon, goto, show, useConsole, visit } from './use-console.ts'

const PROGRAM = fileURLToPath(new URL('../../fixtures/programs/hostile-server/server.mjs', import.meta.url))

const ANSWERS = [
  ...[
    'content',
    'structured',
    'deep',
    'failed',
    'refused',
    'refused oddly',
    'refused at length',
    'nothing',
    'list',
    'noisy',
  ],
  ...['long', 'half'],
]
const SCHEMAS = ['trapped', 'recursive', 'poisoned', 'deep', 'wide', 'none', 'list']

describe.runIf(CHROMIUM !== undefined)('a hostile server', () => {
  useConsole()
  let page: Page
  let intrusions: string[]
  let buildId: string
  beforeAll(async () => {
    const program = { type: 'http', command: process.execPath, args: [PROGRAM] }
    const { build, deployment } = await host(daemon, 'hostile', program, { record_bodies: true })
    expect(deployment.status).toBe('deployed')
    buildId = build.mcp_id
  })
  afterEach(async () => {
    expect(intrusions).toEqual([])
    await expectBoundedMemory(page)
  })

  const open = async (path: string) => {
    page = await show(path)
    // The screen on which long text does the most harm.
    await page.setViewportSize({ width: 360, height: 740 })
    intrusions = watchIntrusions(page)
  }
  const filter = async (text: string) => {
    const back = page.getByRole('link', { name: 'Back to the list' })
    if (await back.isVisible()) await back.click()
    await page.getByLabel('Filter by name or description').fill(text)
  }
  const choose = async (title: string) => {
    await filter(title)
    const about = page.locator('.pg-about', { hasText: new RegExp(`^${title}`) })
    await page.locator('.pg-entry').filter({ has: about }).first().click()
    await page
      .locator('#pg-entry')
      .filter({ hasText: new RegExp(`^${title}`) })
      .waitFor()
  }
  const result = () => page.getByRole('region', { name: 'Result' }).first()
  const run = async (verb = 'Run') => {
    await page.getByRole('button', { name: verb, exact: true }).click()
    await page.locator('section[aria-busy=false] #pg-call').waitFor()
  }
  const expandResult = async () => {
    const closed = result().locator('details:not([open]) > summary')
    for (let left = Math.min(10, await closed.count()); left > 0; left--) await closed.first().click()
    await expectUnharmed(page)
  }

  test('a hostile server cannot do harm through names, descriptions and results', async () => {
    await open('/servers/hostile/playground')
    await page.getByRole('heading', { name: 'Tools 3021' }).waitFor()
    await expectUnharmed(page)
    for (const title of ANSWERS) {
      await choose(title)
      await run()
      await expandResult()
    }
  })

  test('a hostile server cannot do harm through schemas', async () => {
    await open('/servers/hostile/playground')
    for (const title of SCHEMAS) {
      await choose(`schema ${title}`)
      await run()
      const more = await page.getByRole('button', { name: /^(Add|Show all|Show \d+ of)/ }).all()
      for (const button of more.slice(0, 10).reverse()) await button.click()
      await expectUnharmed(page)
      await page.locator('.schema-form').getByRole('button', { name: 'JSON' }).click()
      await page.locator('.cm-content').first().waitFor()
      await expectUnharmed(page)
    }
  })

  test.each(['modern', 'legacy'])(
    'a hostile server cannot do harm through questions in the %s era',
    async era => {
      await open('/servers/hostile/playground')
      await page.getByLabel('Protocol').selectOption(era)
      await choose('asking')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      const question = page.getByRole('region', { name: 'Question from the server' })
      for (const [text, answer] of [
        ['mmm', 'Decline'],
        ['valueOf', 'Dismiss'],
      ] as const) {
        await question.getByText(text).first().waitFor()
        await expectUnharmed(page)
        await question.getByRole('button', { name: answer }).click()
      }
      for (const [uri, answer] of [
        [/javascript:alert/, 'Continue'],
        [/^$/, 'Decline'],
      ] as const) {
        await question.locator('.sf-resource code').filter({ hasText: uri }).waitFor({ state: 'attached' })
        expect(await question.getByRole('button', { name: 'Open' }).count()).toBe(0)
        await expectUnharmed(page)
        await question.getByRole('button', { name: answer }).click()
      }
      await question.getByRole('heading', { name: 'The server asks a model' }).waitFor()
      await expectUnharmed(page)
      await question.getByLabel('Your answer').fill('no')
      await question.getByRole('button', { name: 'Answer' }).click()
      await result().locator('.sf-text', { hasText: 'answered' }).waitFor()
      await expectUnharmed(page)
    },
  )

  test('a hostile server cannot do harm through resources, prompts and completions', async () => {
    await open('/servers/hostile/playground')
    await choose('template')
    await page.getByRole('combobox').last().fill('x')
    await page.locator('datalist option').first().waitFor({ state: 'attached' })
    await run('Read')
    await expectUnharmed(page)
    await choose('prompt')
    await run('Get')
    await expectUnharmed(page)
    await filter('javascript:')
    await page.getByRole('region', { name: 'Resources' }).locator('.pg-entry').first().click()
    await run('Read')
    await expectUnharmed(page)
  })

  test('a hostile server cannot do harm in the other views', async () => {
    await open('/servers/hostile/playground')
    await choose('content')
    await run()
    for (const path of ['', '/requests', '/logs', '/releases', '/tests', '/settings']) {
      await goto(`/servers/hostile${path}`)
      await page.getByRole('heading', { name: 'hostile' }).waitFor()
      await page.locator('.skeleton').waitFor({ state: 'detached' })
      await expectUnharmed(page)
    }
    await goto(`/builds/${buildId}`)
    await page.getByRole('heading', { name: 'Tools' }).waitFor()
    await expectUnharmed(page)
    for (const [tab, details] of [
      ['requests', 'Selected request'],
      ['logs', 'Selected line'],
    ] as const) {
      await visit(page, `/servers/hostile/${tab}`)
      const rows = page.getByRole('listbox').getByRole('option')
      await rows.first().waitFor()
      for (const row of (await rows.all()).slice(0, 8)) {
        await row.click()
        await page.getByRole('region', { name: details }).waitFor()
        await expectUnharmed(page)
        // The details of a selected row hide most of the list.
        await page.getByRole('button', { name: /^Close the/ }).click()
      }
    }
  })
})
