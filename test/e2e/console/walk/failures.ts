import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectNoViolations, show, visit } from '../use-console.ts'
import { showView, VIEWS } from '../views.ts'

/** Requests from views, without the event feed that all views share. */
const REQUESTS = /\/(?:api|v1)\/(?!events)/
const ERROR = { success: false, error: { code: 'INTERNAL', message: 'The disk is broken.' } }

/** Adds tests to the calling group, whose daemon has the servers of `deployExamples`. */
export function testFailures(): void {
  test('views say why they could not load, and load again when the user retries', async () => {
    const page = await show()
    await showView(page, VIEWS[0]!)
    const problem = (text: RegExp) =>
      page.getByRole('main').getByRole('alert').filter({ hasText: text }).first()
    // Leaves out views that are opened from a list. The list of servers and the log have separate tests.
    const views = VIEWS.filter(({ name, open }) => !open && !['servers', 'logs'].includes(name))
    for (const view of views) {
      await visit(page, '/nowhere')
      let fail = (route: Route) => route.fulfill({ status: 500, json: ERROR })
      await page.route(REQUESTS, route => fail(route))
      await visit(page, view.path)
      await problem(/The disk is broken/).waitFor()
      await expectNoViolations(page)
      fail = route => route.abort()
      await problem(/The disk is broken/)
        .getByRole('button', { name: 'Try again' })
        .click()
      await problem(/is unreachable/).waitFor()
      await page.unrouteAll({ behavior: 'wait' })
      await retryAll(page, view.name)
      await showView(page, view)
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
