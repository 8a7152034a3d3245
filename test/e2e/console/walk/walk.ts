import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKey } from '../../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../../helpers/clients/chromium.ts'
import { deployExamples } from '../example-servers.ts'
import { daemon, failures, problemsOf, show, useConsole, visit } from '../use-console.ts'
import { showView, VIEWS, type View } from '../views.ts'
import { violations } from '../violations.ts'
import { testActions } from './actions.ts'
import { testFailures } from './failures.ts'
import { testKeyboard } from './keyboard.ts'
import { layoutProblems } from './layout.ts'
import { EMPTY, FORBIDDEN, MISSING } from './states.ts'

describe.runIf(CHROMIUM !== undefined)('every view of the console', () => {
  useConsole()
  let examples: AsyncDisposable | undefined

  test('every view without data is accessible and fits every screen', async () => {
    await expectNoProblems(await show(), EMPTY)
    expect(failures()).toEqual([])
  })

  describe('with servers', () => {
    beforeAll(async () => {
      examples = await deployExamples(daemon)
    })
    afterAll(() => examples?.[Symbol.asyncDispose]())

    test('every view with data is accessible and fits every screen', async () => {
      await expectNoProblems(await show(), VIEWS)
      expect(failures()).toEqual([])
    })

    test('every view of a missing record is accessible and fits every screen', async () => {
      await expectNoProblems(await show(), MISSING)
    })

    test('views for which the key lacks a scope are accessible and fit every screen', async () => {
      const { key } = await createKey(daemon, { scopes: ['READ'] })
      await expectNoProblems(await show('/', { key }), FORBIDDEN)
    })

    testKeyboard()
    testActions()
    testFailures()

    test('the layout check reports controls that are cut off or overlap, and a page that is too wide', async () => {
      const page = await show('/keys')
      await page.getByRole('button', { name: 'New key' }).waitFor()
      expect(await layoutProblems(page)).toEqual([])
      const problems = async (css: string) => {
        await addStyle(page, css)
        return layoutProblems(page)
      }
      expect(await problems('main { min-width: 3000px }')).toContain(
        'the page has to be scrolled to the side',
      )
      expect(await problems('.page-head { overflow: hidden; width: 60px }')).toContain(
        'cut off: button New key',
      )
      expect(await problems('.bar nav a { margin-right: -40px }')).toContain('a Projects overlaps a Builds')
    })

    test('the accessibility check reports low contrast', async () => {
      const page = await show('/builds')
      await page.getByRole('row').nth(2).waitFor()
      await addStyle(page, 'tbody tr:last-child a { color: #ddd !important }')
      expect(await violations(page)).toEqual([expect.stringMatching(/^color-contrast: <bdi>/)])
    })
  })
})

async function addStyle(page: Page, css: string): Promise<void> {
  const sheet = await page.evaluateHandle(`(document.adoptedStyleSheets = [new CSSStyleSheet()])[0]`)
  await sheet.evaluate((one, text) => (one as { replaceSync(text: string): void }).replaceSync(text), css)
}

/** Visits each view. Reports the problems of all of them together. */
async function expectNoProblems(page: Page, views: readonly Omit<View, 'name'>[]): Promise<void> {
  const problems: string[] = []
  for (const view of views) {
    await visit(page, view.path)
    await showView(page, view)
    for (const problem of await problemsOf(page)) problems.push(`${view.path} ${problem}`)
  }
  expect(problems).toEqual([])
}
