import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { buildServer, createKey, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { callTool } from '../../helpers/daemon/daemon.ts'
import { daemon, expectAccessible, expectNoViolations, goto, show, useConsole } from './use-console.ts'

describe.runIf(CHROMIUM !== undefined)('the servers of the console', () => {
  useConsole()

  test('the empty state leads to the first deployment, and shows the server as soon as it exists', async () => {
    const page = await show()
    await page.getByRole('heading', { name: 'Deploy your first server' }).waitFor()
    await page.getByRole('button', { name: 'Copy the commands: The weather example' }).click()
    await page.getByRole('button', { name: 'Copied the commands: The weather example' }).waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe('mcp init weather --example weather\nmcp up weather')
    await deploy(daemon, await buildServer(daemon, echoServer('first')), 'production')
    await row(page, 'first').getByText('deployed').waitFor()
  })

  test('shows the live error rate and latency of a server', async () => {
    const { url } = await deploy(daemon, await buildServer(daemon, echoServer('busy')), 'production')
    const page = await show()
    await row(page, 'busy').waitFor()
    await callTool(url, 'say', { text: 'hello' })
    await callTool(url, 'say', {})
    await row(page, 'busy')
      .getByText(/^[1-9][0-9.]* %$/)
      .waitFor()
    await row(page, 'busy').getByText(/ ms$/).waitFor()
  })

  test('stops and starts a deployment without the mouse', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('switched')), 'production')
    const page = await show()
    const stop = page.getByRole('button', { name: 'Stop switched in production' })
    await stop.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Stop switched in production?' })
    await dialog.waitFor()
    await expectNoViolations(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await stop.and(page.locator(':focus')).count()).toBe(1)
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Stop' }).focus()
    await page.keyboard.press('Enter')
    await row(page, 'switched').getByText('stopped').waitFor()
    await page.getByText('Stopped switched in production.').waitFor()
    const start = page.getByRole('button', { name: 'Start switched in production' })
    await start.focus()
    await page.keyboard.press('Enter')
    await row(page, 'switched').getByText('deployed').waitFor()
  })

  test('finds tabs and actions in the command palette with the keyboard alone', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('commanded')), 'production')
    const page = await show()
    await row(page, 'commanded').waitFor()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Command' })
    const selected = page.getByRole('option', { selected: true })
    // Queries by role do not find a closed dialog that is still in the document.
    const dialogs = page.locator('dialog')
    await field.waitFor()
    await expectAccessible(page)
    await page.keyboard.type('commanded')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await selected.textContent()).toContain('commanded › Playground')
    expect(await field.getAttribute('aria-activedescendant')).toBe(await selected.getAttribute('id'))
    await page.keyboard.press('Escape')
    await dialogs.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await field.waitFor()
    await page.keyboard.type('comm set')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/servers/commanded/settings')
    await page.locator('main:focus').waitFor()
    await dialogs.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await field.waitFor()
    await page.keyboard.type('stop commanded')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Stop commanded in production?' })
    await dialog.getByRole('button', { name: 'Stop' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Stopped commanded in production.').waitFor()
    await dialog.waitFor({ state: 'detached' })
  })

  test('? shows the keyboard shortcuts, except while the user types', async () => {
    await buildServer(daemon, echoServer('keyed'))
    const page = await show()
    await page.getByLabel('Filter servers by name').fill('')
    await page.keyboard.type('?')
    expect(await page.getByLabel('Filter servers by name').inputValue()).toBe('?')
    await page.getByRole('link', { name: 'Servers' }).focus()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Ctrl+K').waitFor()
    await expectNoViolations(page)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.locator('dialog').count()).toBe(0)
  })

  test('filters servers by name, and / moves the focus to the filter', async () => {
    for (const name of ['filtered-a', 'filtered-b']) await buildServer(daemon, echoServer(name))
    const page = await show()
    await row(page, 'filtered-a').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('TERED-B')
    await row(page, 'filtered-b').waitFor()
    await row(page, 'filtered-a').waitFor({ state: 'detached' })
    await page.keyboard.type('-none')
    await page.getByText('No server name contains “TERED-B-none”.').waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?filter=TERED-B-none')
    await page.reload()
    await page.getByText('No server name contains “TERED-B-none”.').waitFor()
  })

  test('a link opens a dialog, and the back button closes it', async () => {
    const page = await show('/keys?dialog=new')
    await page.getByRole('dialog', { name: 'New API key' }).waitFor()
    await goto('/projects?dialog=new')
    await page.getByRole('dialog', { name: 'New project' }).waitFor()
    await goto('/')
    await page.getByRole('button', { name: 'New server' }).click()
    const dialog = page.getByRole('dialog', { name: 'New server' })
    await dialog.waitFor()
    expect(new URL(page.url()).search).toBe('?dialog=new')
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    await page.goForward()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  test('shows the URL of a server and what to paste into a client', async () => {
    const { url } = await deploy(daemon, await buildServer(daemon, echoServer('shown')), 'production')
    await deploy(daemon, await buildServer(daemon, echoServer('shown')), 'staging')
    const page = await show('/servers/shown')
    await page.getByRole('button', { name: `Copy ${url}` }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(url)
    await page.getByText('Give clients the first URL.').waitFor()
    await page.getByLabel('Connect a client').selectOption('Codex')
    await page.getByText(`[mcp_servers.shown]\nurl = "${url}"`).waitFor()
    await page.getByText('mcp connect shown --client codex').waitFor()
    await page.reload()
    await page.getByText('mcp connect shown --client codex').waitFor()
    await page.getByRole('table', { name: 'Instances' }).getByText('ready').waitFor()
    await page.getByRole('link', { name: 'staging' }).click()
    expect(new URL(page.url()).search).toBe('?env=staging')
    await page.goBack()
    await page.getByText(url, { exact: true }).waitFor()
  })

  test('without a session, the page says how to get one', async () => {
    const page = await show('/', { key: null })
    await page.getByRole('heading', { name: 'Open the console from a terminal' }).waitFor()
    await page.getByText('mcp console').waitFor()
    await expectNoViolations(page)
  })

  test('names the missing scope when a key may only build', async () => {
    const { key } = await createKey(daemon, { scopes: ['BUILD_AND_DEPLOY'] })
    const page = await show('/', { key })
    const problem = page.getByRole('alert')
    await problem.getByText(/needs the scope/).waitFor()
    await problem.getByText('mcp whoami').waitFor()
    expect(await problem.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await expectNoViolations(page)
  })

  test('shows why an action was refused when the key may only read', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('read-only')), 'production')
    const { key } = await createKey(daemon, { scopes: ['READ'] })
    const page = await show('/', { key })
    await page.getByRole('button', { name: 'Restart read-only in production' }).click()
    const notices = page.getByRole('region', { name: 'Notifications' })
    await notices
      .getByText(/BUILD_AND_DEPLOY/)
      .first()
      .waitFor()
    await notices.getByText('mcp whoami').waitFor()
    await notices.getByRole('button', { name: 'Dismiss' }).click()
    await notices.getByText('mcp whoami').waitFor({ state: 'detached' })
  })

  test('loading the servers can be retried after an error', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('again')), 'production')
    const page = await show('/nowhere')
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await page.route('**/v1/deploy?*', route =>
      route.fulfill({
        status: 503,
        json: {
          success: false,
          error: { code: 'UNAVAILABLE', message: 'The disk is full (ENOSPC).', details: 'Free some space.' },
        },
      }),
    )
    await goto('/')
    await page.getByText('The disk is full (ENOSPC).').waitFor()
    await expectNoViolations(page)
    await page.unroute('**/v1/deploy?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await row(page, 'again').waitFor()
  })

  test('shows a loading indicator while loading is slow, without animation if the user prefers reduced motion', async () => {
    const gate = Promise.withResolvers<void>()
    const page = await show('/nowhere')
    await page.route('**/v1/deploy?*', async route => {
      await gate.promise
      await route.continue()
    })
    await goto('/')
    await page.getByText('Loading the servers…').waitFor({ state: 'attached' })
    await expectNoViolations(page)
    const animations = () => page.evaluate('document.getAnimations().length')
    expect(await animations()).toBeGreaterThan(0)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await animations(), 'with prefers-reduced-motion').toBe(0)
    gate.resolve()
    await page.getByRole('heading', { name: 'Servers' }).waitFor()
  })

  test('reports a lost connection, and shows new servers after reconnecting', async () => {
    await buildServer(daemon, echoServer('before'))
    const page = await show()
    await row(page, 'before').waitFor()
    const { port } = daemon.daemon
    await daemon.daemon.close()
    await page.getByText('reconnecting').waitFor()
    await expectNoViolations(page)
    await daemon.restart({ port })
    await page.getByText('reconnecting').waitFor({ state: 'detached' })
    await buildServer(daemon, echoServer('afterwards'))
    await row(page, 'afterwards').waitFor()
  })

  test('shows the sessions of clients, and ends one after confirmation', async () => {
    const { url } = await deploy(daemon, await buildServer(daemon, echoServer('visited')), 'production')
    await callTool(url, 'say', { text: 'hello' })
    const page = await show('/servers/visited')
    const sessions = page.getByRole('table', { name: 'Sessions' })
    await sessions.getByRole('row', { name: /^test 0/ }).waitFor()
    await sessions.getByRole('button', { name: /^End session/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click()
    await page.getByText('No client has an open session.').waitFor()
  })

  test('signing out ends the session of this browser', async () => {
    const page = await show()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Open the console from a terminal' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Open the console from a terminal' }).waitFor()
  })

  test('the theme follows the system until the user chooses one', async () => {
    const page = await show('/', { theme: 'dark' })
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const dark = await background()
    await page.getByRole('button', { name: 'Switch to the light theme' }).click()
    const light = await background()
    expect(light).not.toBe(dark)
    await page.reload()
    await page.getByRole('button', { name: 'Switch to the dark theme' }).waitFor()
    expect(await background()).toBe(light)
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
    expect(await page.evaluate('localStorage.length')).toBe(0)
  })
})

function row(page: Page, server: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name: server, exact: true }) })
}
