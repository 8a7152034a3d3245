import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** Half as large as `axe.source`. Every document compiles it again. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Violations of accessibility rules: rule, and the elements that violate it. With an open dialog, only the dialog is checked: it
 * makes the view below inert, and the tests check that view without it. `options`: options of axe, such as the rules to check.
 */
export async function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(AXE)
  // Results without violations are ten times as large. They stay in the page.
  const all = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const found = await page.evaluate(
    `axe.run([...document.querySelectorAll('dialog[open]')].at(-1) ?? document, ${all}).then(({ violations }) => violations)`,
  )
  return (found as Result[]).map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
