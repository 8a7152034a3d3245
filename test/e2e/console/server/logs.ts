import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../../helpers/clients/chromium.ts'
import { callTool } from '../../../helpers/daemon/daemon.ts'
import { logLine, writeLines } from '../../../helpers/daemon/log-lines.ts'
import { daemon, expectAccessible, expectNoViolations, goto, show, useConsole } from '../use-console.ts'

/** More lines than the page loads after the line that its URL names. */
const LINES = 1500

/** Whether the selected line and its details are visible. */
const BOTH_IN_SIGHT = `(() => {
  const box = selector => document.querySelector(selector).getBoundingClientRect()
  const [row, list, details] = ['.row[aria-selected=true]', '.rows', '.line-details'].map(box)
  return row.top >= list.top && row.bottom <= list.bottom && details.bottom <= innerHeight
})()`

describe.runIf(CHROMIUM !== undefined)('the log of a server in the console', () => {
  useConsole()

  const log = (page: Page) => page.getByRole('listbox', { name: 'Log lines' })
  const lines = (page: Page) => log(page).getByRole('option')
  const details = (page: Page) => page.getByRole('region', { name: 'Selected line' })
  const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

  /** Deploys a server with a log of old lines. */
  const deployWithLines = async (name: string) => {
    const deployed = await deploy(daemon, await buildServer(daemon, echoServer(name)), 'production')
    const older = Array.from({ length: LINES }, (_, second) => logLine(second, `old line ${second}`))
    writeLines(join(daemon.home.logs, deployed.deployment_id), 'inst_old', ...older)
    return deployed
  }

  test('filters the log by values of a line, by values that the user types, and by time', async () => {
    const { url } = await deployWithLines('sorted')
    await callTool(url, 'say', { text: 'one' })
    await callTool(url, 'say', { text: 'two' })
    const page = await show('/servers/sorted/logs')
    await lines(page).filter({ hasText: 'tools/call say' }).nth(1).click()
    await details(page).getByRole('button', { name: 'say', exact: true }).click()
    await lines(page).filter({ hasText: 'initialize' }).first().waitFor({ state: 'detached' })
    await lines(page).nth(1).waitFor()
    await details(page).locator('div', { hasText: 'sessionId' }).getByRole('button').click()
    await lines(page).nth(1).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove filter: tool say' }).click()
    await lines(page).filter({ hasText: 'initialize' }).waitFor()
    await details(page).locator('div', { hasText: 'requestId' }).getByRole('button').click()
    await lines(page).filter({ hasText: 'initialize' }).waitFor({ state: 'detached' })
    await expect.poll(() => Object.keys(parameters(page))).toEqual(['line', 'session', 'request'])
    await expectAccessible(page)

    await goto('/servers/sorted/logs?text=line')
    await page.getByLabel('Add a filter').selectOption('instance')
    await page.getByLabel('Value of instance').fill('inst_old')
    await page.keyboard.press('Enter')
    await lines(page)
      .filter({ hasText: `old line ${LINES - 1}` })
      .waitFor()
    await page.getByLabel('Time').selectOption('Last hour')
    await page.getByText('No matching lines. New ones appear here.').waitFor()
    await page.getByLabel('Time').selectOption('From … until …')
    await page.getByLabel('From').fill('1970-01-01T00:00')
    await page.getByLabel('Until').fill('1970-01-02T12:00')
    await lines(page).first().waitFor()
    await expectNoViolations(page)
    await expect.poll(() => Object.keys(parameters(page))).toEqual(['text', 'instance', 'since', 'until'])
    await page.reload()
    await lines(page).first().waitFor()
  })

  test('a link leads to a line that is older than the lines loaded first', async () => {
    await deployWithLines('linked')
    const page = await show('/servers/linked/logs')
    await lines(page)
      .filter({ hasText: `old line ${LINES - 1}` })
      .waitFor()
    await log(page).focus()
    await page.keyboard.press('Home')
    for (let row = 0; row < 9; row++) await page.keyboard.press('ArrowDown')
    await details(page).getByText('old line 9', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy the link to this line' }).click()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    await page.getByRole('button', { name: 'Close the details' }).click()
    await details(page).waitFor({ state: 'detached' })

    await page.goto(link)
    await details(page).getByText('old line 9', { exact: true }).waitFor()
    await lines(page).and(page.locator('[aria-selected=true]')).getByText('old line 9').waitFor()
    await page.getByText('older lines').waitFor()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Show the newest' }).click()
    await page.getByRole('status').getByText('live').waitFor()
    await details(page).waitFor({ state: 'detached' })

    await page.goto(link.replace('.inst_old.', '.inst_removed.'))
    await page.getByText('The selected line no longer exists. Its log was removed.').waitFor()
    await lines(page)
      .filter({ hasText: `old line ${LINES - 1}` })
      .waitFor()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('The selected line no longer exists.').waitFor({ state: 'detached' })
    await expect.poll(() => parameters(page)).toEqual({ env: 'production' })
  })

  test('the back button closes the selected line, and a reload shows it again', async () => {
    await deployWithLines('opened')
    const page = await show('/servers/opened/logs')
    await lines(page)
      .filter({ hasText: `old line ${LINES - 5}` })
      .click()
    await details(page)
      .getByText(`old line ${LINES - 5}`)
      .waitFor()
    await expect.poll(() => page.evaluate(BOTH_IN_SIGHT)).toBe(true)
    await page.reload()
    await details(page)
      .getByText(`old line ${LINES - 5}`)
      .waitFor()
    await page.getByRole('status').getByText('live').waitFor()
    await page.goBack()
    await details(page).waitFor({ state: 'detached' })
  })

  test('a paused log continues with the lines written during the pause', async () => {
    const { url } = await deployWithLines('paused')
    const page = await show('/servers/paused/logs')
    // The log continues after the last line that arrived.
    await lines(page)
      .filter({ hasText: `old line ${LINES - 1}` })
      .waitFor()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('status').getByText('paused').waitFor()
    const answered = page.waitForRequest(request => request.headers()['last-event-id'] !== undefined)
    await callTool(url, 'say', { text: 'hello' })
    expect(await lines(page).filter({ hasText: 'tools/call say' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Continue' }).click()
    await answered
    await lines(page).filter({ hasText: 'tools/call say' }).waitFor()
    await page.getByRole('status').getByText('live').waitFor()
    expect(
      await lines(page)
        .filter({ hasText: `old line ${LINES - 1}` })
        .count(),
    ).toBe(1)
  })

  test('a log that has lost its connection says so', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('cut')), 'production')
    const page = await show('/servers/cut')
    const bodies = ['data: {"timestamp":"2026-11-23T08:00:00.000Z","message":"last line"}\n\n']
    await page.route('**/api/servers/cut/logs*', route => {
      const body = bodies.pop()
      return body ? route.fulfill({ contentType: 'text/event-stream', body }) : route.abort()
    })
    await page.getByRole('link', { name: 'Logs' }).click()
    await lines(page).filter({ hasText: 'last line' }).waitFor()
    await page.getByRole('main').getByText('reconnecting').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('the log shows only whole rows at every window height', async () => {
    await deployWithLines('whole')
    const page = await show('/servers/whole/logs')
    await lines(page)
      .filter({ hasText: `old line ${LINES - 1}` })
      .waitFor()
    for (const height of [800, 807, 915]) {
      await page.setViewportSize({ width: 1280, height })
      const cut = '(list => [list.clientHeight % 20, list.scrollTop % 20])(document.querySelector(".rows"))'
      await expect.poll(() => page.evaluate(cut), { message: String(height) }).toEqual([0, 0])
    }
  })
})
