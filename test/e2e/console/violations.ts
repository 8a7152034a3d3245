import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

/** Half as large as `axe.source`. Every document compiles it again. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Checks the contrast of one element of those that look the same: with the same classes and states, inside of elements with the
 * same. Rows of lists make up most of a page, and contrast takes most of the time of a check.
 */
const SKIP_REPEATED_COLORS = `{
  const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast')
  const STATE = /^(class|type|style|disabled|open|data-|aria-(busy|checked|current|disabled|expanded|invalid|pressed|selected|sort))/
  let looks, seen
  const own = element => [...element.attributes].filter(({ name }) => STATE.test(name)).map(({ value }) => value)
  const lookOf = element => {
    if (element === null) return ''
    if (!looks.has(element)) looks.set(element, [lookOf(element.parentElement), element.localName, ...own(element)].join())
    return looks.get(element)
  }
  const { matches } = rule
  rule.matches = function (element, ...rest) {
    const look = lookOf(element) + element.matches(':hover, :focus-within')
    const isNew = !seen.has(look) && matches.call(this, element, ...rest)
    if (isNew) seen.add(look)
    return isNew
  }
  globalThis.findViolations = async options => {
    looks = new Map()
    seen = new Set()
    return (await axe.run(options)).violations
  }
}`

/** Violations of accessibility rules: rule, and the elements that violate it. `options`: of axe, such as the rules to check. */
export async function violations(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(`${AXE};${SKIP_REPEATED_COLORS}`)
  // Results without violations are ten times as large. They stay in the page.
  const found = await page.evaluate(
    `findViolations(${JSON.stringify({ ...options, resultTypes: ['violations'] })})`,
  )
  return (found as Result[]).map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
