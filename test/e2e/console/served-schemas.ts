import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { createForm } from '../../../src/console/schema-form/model/form.ts'
import type { Json } from '../../../src/console/schema-form/model/state.ts'
import { compileSchema, type JsonSchema } from '../../../src/shared/json/json-schema.ts'
import { servedCases, serverWith } from '../../console/schema-form/cases.ts'
import { fill } from '../../console/schema-form/fill.ts'
import { buildServer, deploy } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { callTool } from '../../helpers/daemon/daemon.ts'
import { daemon, show, useConsole } from './use-console.ts'

const tools = servedCases()
/** Last schema of each feature, for every second feature whose last schema has valid and invalid values. */
const typed = Object.values(Object.groupBy(tools, ({ feature }) => feature))
  .map(list => list!.at(-1)!)
  .filter(({ valid, invalid }) => valid.length > 0 && invalid.length > 0)
  .filter((_, index) => index % 2 === 0)
  // The page keeps the newest 50 calls, and each schema takes two.
  .slice(0, 20)

describe.runIf(CHROMIUM !== undefined)('forms of served schemas', () => {
  useConsole()
  let page: Page
  let url: string
  beforeAll(async () => {
    url = (await deploy(daemon, await buildServer(daemon, serverWith(tools)))).url
    await deploy(daemon, await buildServer(daemon, { ...serverWith(typed), name: 'typed' }))
  })

  /** Opens the form of a tool without loading the page again. */
  const openForm = async (name: string) => {
    await page.evaluate(
      `history.pushState(null, '', '?env=development&kind=tool&name=${name}'), dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await page.getByRole('form', { name }).waitFor()
  }
  /** Types into the field if it takes text or a number, and otherwise into the form's JSON. */
  const type = async (name: string, value: unknown) => {
    const field = page
      .getByRole('form', { name })
      .locator('input[aria-label=value], textarea[aria-label=value]')
    if (typeof value !== 'object' && typeof value !== 'boolean' && (await field.count()) === 1) {
      await field.focus()
      return page.keyboard.type(String(value))
    }
    return typeJson(name, { value })
  }
  const typeJson = async (name: string, value: unknown) => {
    const editor = page.getByLabel(`JSON of ${name}`)
    if ((await editor.count()) === 0)
      await page.getByRole('form', { name }).getByRole('button').last().press('Alt+KeyJ')
    await editor.focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(JSON.stringify(value))
  }
  /** Submits the form. Returns the text of the result. */
  const run = async () => {
    const calls = page.getByRole('region', { name: 'Calls' }).getByRole('listitem')
    const before = await calls.count()
    await page.keyboard.press('Control+Enter')
    await calls.nth(before).waitFor()
    await page.locator('section[aria-busy=false] #pg-call').waitFor()
    return page.getByRole('region', { name: 'Content' }).locator('.sf-text').textContent()
  }

  /** Error message that the server sends to a client other than the console. Undefined if the server accepts the arguments. */
  const refusal = async (name: string, args: unknown): Promise<string | undefined> => {
    const { isError, content } = await callTool(url, name, args as Record<string, unknown>)
    return isError ? content[0].text : undefined
  }

  test('forms turn all valid values into arguments that the server accepts', async () => {
    expect(tools.length).toBeGreaterThanOrEqual(226)
    for (const { name, schema, valid } of tools)
      for (const value of valid) {
        const form = createForm(schema)
        form.state.value = fill(schema, { value }, form.document)
        const args = form.submit()!.value
        const where = JSON.stringify({ schema, value })
        expect(args, where).toEqual({ value })
        expect(await refusal(name, args), where).toBeUndefined()
      }
  })

  test('forms show why the server refuses an invalid value', async () => {
    for (const { name, schema, invalid } of tools)
      for (const value of invalid.filter(one => !isCompleted(schema, one))) {
        const form = createForm(schema, { value } as Json)
        const where = JSON.stringify({ schema, value })
        const message = await refusal(name, form.submit()!.value)
        form.reportErrors(message!)
        const { placed, general } = form.serverErrors.value
        for (const text of [...placed.values()].flat()) expect(message, where).toContain(text)
        expect(placed.size > 0 || general === message, where).toBe(true)
      }
  })

  test('forms are filled in and sent with the keyboard, and show the original message from the server', async () => {
    // Every call renders the list of tools, so this server has only the tools that the test calls.
    page = await show('/servers/typed/playground')
    await page.getByRole('heading', { name: 'Tools' }).waitFor()
    expect(typed.length).toBe(20)
    for (const { name, valid, invalid } of typed) {
      await openForm(name)
      await type(name, valid[0])
      expect(await run(), name).toBe('accepted')
      await typeJson(name, { value: invalid[0] })
      expect(await run(), name).toBe(await refusal(name, { value: invalid[0] }))
    }
  })

  test('shows more than 200 tools on request', async () => {
    page = await show('/servers/schemas/playground')
    await page.getByRole('button', { name: `Show ${tools.length - 200} more` }).click()
    await expect.poll(() => page.locator('.pg-entry').count()).toBe(tools.length)
    expect(await page.getByRole('button', { name: /^Show/ }).count()).toBe(0)
  })
})

/** Hosted servers add defaults before they validate, so they accept arguments without a member that has a default. */
function isCompleted(schema: JsonSchema, value: unknown): boolean {
  return compileSchema(schema, { useDefaults: true })(structuredClone({ value }))
}
