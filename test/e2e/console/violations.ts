import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** Minified, half as large as `axe.source`, because every document compiles the script again. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Violations of accessibility rules: rule, and the elements that violate it. An open dialog makes the view below inert, so only
 * the dialog is checked. `options`: options of axe, such as the rules to check.
 */
export async function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(AXE)
  // Results of passed rules would be ten times as large, so only violations leave the page.
  const all = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const found = await page.evaluate(
    `axe.run([...document.querySelectorAll('dialog[open]')].at(-1) ?? document, ${all}).then(({ violations }) => violations)`,
  )
  return (found as Result[]).map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
