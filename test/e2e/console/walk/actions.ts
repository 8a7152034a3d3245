import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { daemon, show, visit } from '../use-console.ts'

/** Adds tests to the calling group, whose daemon has the servers of `deployExamples`. */
export function testActions(): void {
  test('links lead back to lists and to related records', async () => {
    const page = await show('/nowhere')
    for (const [path, link, target] of [
      ['/nowhere', 'Show all servers', '/'],
      ['/servers/nowhere', 'Show all servers', '/'],
      ['/keys', 'mcp', '/'],
      ['/servers/weather?env=production', 'All releases', '/servers/weather/releases?env=production'],
      ['/builds', 'Containers', '/builds?kind=containers'],
      ['/builds?kind=containers', 'Servers', '/builds'],
      ['/servers/crm', 'Show the build', /^\/builds\/mcp_/],
    ] as const) {
      await visit(page, path)
      await page.locator('header, main').getByRole('link', { name: link, exact: true }).last().click()
      expect(placeOf(page), `${path} ${link}`).toEqual(
        target instanceof RegExp ? expect.stringMatching(target) : target,
      )
    }
    await page.getByRole('link', { name: 'All builds' }).click()
    expect(placeOf(page)).toBe('/builds')
  })

  test('filters of lists are kept in the URL', async () => {
    const page = await show('/builds')
    for (const [path, label, choice, search] of [
      ['/builds', 'Server', 'weather', 'server=weather'],
      ['/builds', 'State', { index: 1 }, 'state='],
      ['/builds?kind=containers', 'State', { index: 1 }, 'state='],
      ['/builds?kind=containers', 'Filter by project', 'parrot', 'project='],
      ['/servers/weather/requests?env=production', 'Time', { index: 1 }, 'since='],
      ['/chat', 'Server', 'dice', 'server=dice'],
      ['/chat?server=weather', 'Build', 'build in staging', 'env=staging'],
      ['/chat', 'Model', 'embedded', 'model=embedded'],
    ] as const) {
      await visit(page, path)
      await page.getByLabel(label, { exact: true }).selectOption(choice)
      await expect.poll(() => placeOf(page), { message: `${path} ${label}` }).toContain(search)
    }
    await page.getByLabel('Model', { exact: true }).selectOption('Other model…')
    await page.getByLabel('Model', { exact: true }).fill('gguf:tiny.gguf')
    await page.keyboard.press('Enter')
    await expect.poll(() => placeOf(page)).toContain('model=gguf')
  })

  test('reload buttons send the request again', async () => {
    const page = await show('/system')
    for (const [path, button, api] of [
      ['/system', 'Reload the figures', '/api/daemon'],
      ['/system', 'Run the checks again', '/api/daemon/checks'],
      ['/system', 'Look for unused items again', '/api/prune'],
      ['/servers/weather?env=production', 'Reload the sessions', '/sessions'],
      ['/servers/team-notes/settings?env=production', 'Reload the grants', '/grants'],
      ['/servers/team-notes/settings?env=production', 'Reload the clients', '/clients'],
    ] as const) {
      if (placeOf(page) !== path) await visit(page, path)
      const control = page.getByRole('button', { name: button })
      await control.and(page.locator(':not([aria-disabled])')).waitFor()
      await Promise.all([
        page.waitForResponse(response => response.url().includes(api) && response.ok()),
        control.click(),
      ])
    }
  })

  test('on a narrow screen, a chat leads to the list or to a new chat, and a tool leads back to the list', async () => {
    const page = await show('/chat')
    await page.getByRole('link', { name: /Oslo/ }).click()
    await page.getByText('It is cold in Oslo.').waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('link', { name: 'All chats' }).click()
    expect(placeOf(page)).toBe('/chat')
    await page.getByRole('link', { name: /Oslo/ }).click()
    await page.getByRole('button', { name: 'New chat' }).click()
    expect(placeOf(page)).toBe('/chat')
    await visit(page, '/servers/weather/playground?env=production&kind=tool&name=forecast')
    await page.getByRole('link', { name: 'Back to the list' }).click()
    expect(placeOf(page)).toBe('/servers/weather/playground?env=production')
  })

  test('a key has the limit and the expiry that the user chooses', async () => {
    const page = await show('/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('chosen')
    await page.getByLabel('Limit').selectOption({ index: 1 })
    await page.getByLabel('Expiry').selectOption({ index: 1 })
    const plan = await page.getByLabel('Limit').inputValue()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('row').filter({ hasText: 'chosen' }).waitFor()
    const { body } = await daemon.api('GET', '/api/keys')
    const key = body.items.find(({ name }: { name: string }) => name === 'chosen')
    expect(key).toMatchObject({ plan, expiresAt: expect.any(String) })
  })

  test('a dialog that is opened again immediately after Escape stays open', async () => {
    const page = await show('/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByLabel('Name').waitFor()
    await page.evaluate(REOPEN)
    await page.getByRole('dialog').getByLabel('Name').fill('opened again')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('the first Tab leads to a link that skips the navigation', async () => {
    const page = await show('/keys')
    await page.getByRole('button', { name: 'New key' }).waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'Skip to content' }).press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true)
  })
}

/** Closes the dialog like Escape, opens it again before the browser's close event, and waits for that event. */
const REOPEN = `(async () => {
  const dialog = document.querySelector('dialog[open]')
  const closed = new Promise(resolve => dialog.addEventListener('close', resolve))
  dialog.requestClose()
  await Promise.resolve()
  ;[...document.querySelectorAll('button')].find(button => button.textContent === 'New key').click()
  await closed
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
})()`

/** Path and query of the page below `/console`. */
function placeOf(page: Page): string {
  const { pathname, search } = new URL(page.url())
  return (pathname.slice('/console'.length) || '/') + search
}
