import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectNoViolations, show, visit } from '../use-console.ts'
import { showView, VIEWS } from '../views.ts'

/** Requests from views. The page's feed and the list of servers, which all views share, are loaded first. */
const REQUESTS = /\/(?:api|v1)\/(?!events)/
const ERROR = { success: false, error: { code: 'INTERNAL', message: 'The disk is broken.' } }

const FAILURES: readonly (readonly [text: RegExp, fail: (route: Route) => Promise<void>])[] = [
  [/The disk is broken/, route => route.fulfill({ status: 500, json: ERROR })],
  [/is unreachable/, route => route.abort()],
]

/** Adds tests to the calling group, whose daemon has the servers of `deployExamples`. */
export function testFailures(): void {
  test('every view says why it could not load, and loads again when the user retries', async () => {
    const page = await show()
    await showView(page, VIEWS[0]!)
    // A list opens the other views. The first view and the log have their own tests.
    const views = VIEWS.filter(({ name, open }) => !open && !['servers', 'logs'].includes(name))
    for (const view of views) {
      for (const [text, fail] of FAILURES) {
        await visit(page, '/nowhere')
        await page.route(REQUESTS, fail)
        await visit(page, view.path)
        await page.getByRole('main').getByRole('alert').filter({ hasText: text }).first().waitFor()
        await page.unrouteAll({ behavior: 'wait' })
        if (fail === FAILURES[0]![1]) await expectNoViolations(page)
        await retryAll(page, view.name)
        await showView(page, view)
      }
    }
  }, 60_000)
}

/** Retries every part of the view that failed. */
async function retryAll(page: Page, view: string): Promise<void> {
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' })
  expect(await retry.count(), view).toBeGreaterThan(0)
  for (let left = await retry.count(); left > 0; left = await retry.count()) {
    await retry.first().click()
    await expect.poll(() => retry.count(), { message: view }).toBeLessThan(left)
  }
}
