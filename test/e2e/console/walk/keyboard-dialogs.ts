import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { visit } from '../use-console.ts'

const MAX_STOPS = 40

/** Paths, each with the names of the buttons there that open a dialog. */
const OPENERS: readonly (readonly [path: string, ...buttons: RegExp[]])[] = [
  ['/', /^New server/, /^Stop weather in production/, /^Commands/],
  ['/servers/weather?env=production', /^Stop weather/],
  ['/servers/weather/releases?env=production', /^Roll back to v1/],
  ['/servers/weather/settings?env=production', /^Add a variable/, /^Change the configuration/],
  ['/servers/team-notes/settings?env=production', /^Revoke the access/, /^Remove /],
  [
    '/projects',
    /^New project/,
    /^Edit parrot/,
    /^Upload the source of parrot/,
    /^Archive parrot/,
    /^Delete parrot/,
  ],
  ['/builds', /^Remove build/],
  ['/builds?kind=containers', /^Start a build/],
  ['/chat', /^Delete the chat/, /^Set the OpenAI/, /^Remove the Anthropic/],
  ['/domains', /^Map a subdomain/],
  ['/keys', /^New key/],
]

/** Opens each dialog with Enter, goes through it with Tab, and closes it with Escape. */
export async function expectUsableDialogs(page: Page): Promise<void> {
  for (const [path, ...names] of OPENERS) {
    await visit(page, path)
    for (const name of names) {
      const opener = page.getByRole('button', { name }).first()
      await opener.press('Enter')
      await page.locator('dialog[open]').waitFor()
      for (let stop = 0; stop < MAX_STOPS && !(await isBackAtStart(page)); stop++)
        await page.keyboard.press('Tab')
      const outside = await page.evaluate(STOPS_OUTSIDE)
      expect(outside, `focus outside of the dialog of ${name}`).toEqual([])
      await page.keyboard.press('Escape')
      await page.locator('dialog[open]').waitFor({ state: 'detached' })
      expect(await opener.and(page.locator(':focus')).count(), `focus after the dialog of ${name}`).toBe(1)
    }
  }
}

/** From the last control of a dialog, Tab moves to the browser's own controls. Then the body is the active element. */
const STOPS_OUTSIDE = `[...document.querySelector('dialog[open]').stops]
  .filter(stop => stop !== document.body && stop.closest('dialog') === null)
  .map(stop => stop.outerHTML)`

/** Marks the control that has the focus. True if it was marked before. */
async function isBackAtStart(page: Page): Promise<boolean> {
  return (await page.evaluate(`(() => {
    const { activeElement } = document
    const dialog = document.querySelector('dialog[open]')
    dialog.stops ??= new Set()
    const isKnown = dialog.stops.has(activeElement)
    dialog.stops.add(activeElement)
    return isKnown
  })()`)) as boolean
}
