import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildServer, createKey, deploy } from '../../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../../helpers/clients/chromium.ts'
import { deployFolder } from '../../../helpers/daemon/custom-server.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'
import { host } from '../../programs/hosted-program.ts'
import { daemon, expectAccessible, goto, HARMLESS, HOSTILE, show, useConsole } from '../use-console.ts'

const EVERYTHING = fileURLToPath(
  new URL('../../../../node_modules/.bin/mcp-server-everything', import.meta.url),
)

/** Tools with each kind of hint, and text that a page must not trust. */
const NOTES = {
  name: 'notes',
  template: 'basic',
  tools: [
    {
      name: 'search',
      description: HOSTILE,
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string' }, limit: { type: 'integer', maximum: 20 } },
        required: ['query'],
      },
      handler: { type: 'template', text: `Found {{ query }} ${HOSTILE}` },
    },
    {
      name: 'delete',
      description: 'Deletes a note',
      annotations: { destructiveHint: true },
      inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
      handler: { type: 'template', text: 'Deleted {{ id }}' },
    },
  ],
}

const ERAS: Record<string, string> = { '2026-07-28': 'without sessions', '2025-11-25': 'with a session' }

/** A module whose tool throws, and one whose result links to a resource. */
const DEPOT = {
  'tools/close.ts': `import { defineTool } from 'mcp-hosting/server'
export default defineTool({
  description: 'Closes the depot',
  handler: () => { throw new Error('The depot is closed on Sundays') },
})`,
  'tools/find.ts': `import { defineTool } from 'mcp-hosting/server'
export default defineTool({
  description: 'Finds the plan',
  handler: () => ({ content: [{ type: 'resource_link', uri: 'depot://plan', name: 'plan' }] }),
})`,
  'resources/plan.ts': `import { defineResource } from 'mcp-hosting/server'
export default defineResource({
  uri: 'depot://plan',
  name: 'plan',
  description: 'Where things are',
  handler: () => 'Two shelves',
})`,
}

describe.runIf(CHROMIUM !== undefined)('the playground', () => {
  useConsole()
  let page: Page
  beforeAll(async () => {
    await deploy(daemon, await buildServer(daemon, NOTES), 'production')
    await host(daemon, 'everything', { command: EVERYTHING })
    using depot = createProjectFolder(DEPOT)
    await deployFolder(daemon, 'depot', depot.path)
  })

  const showPlayground = async (server: string) => {
    page = await show(`/servers/${server}/playground`)
  }
  const showTool = async (server: string, name: string) => {
    page = await show(`/servers/${server}/playground?kind=tool&name=${name}`)
  }
  const run = () => page.getByRole('button', { name: 'Run', exact: true }).click()
  const result = () => page.getByRole('region', { name: 'Result' })

  test('runs a tool from its form with the keyboard alone, and shows the answer as harmless text', async () => {
    await showPlayground('notes')
    await page.getByRole('link', { name: 'search' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('sear')
    await page.getByRole('link', { name: 'delete' }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByLabel('query').fill('tea')
    await page.keyboard.press('Control+Enter')
    await result().getByText(`Found tea ${HARMLESS}`).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(new URL(page.url()).search).toBe('?env=production&kind=tool&name=search')
    await expectAccessible(page)
  })

  test('runs a tool with raw JSON, and shows the error from the server next to the field that it names', async () => {
    await showTool('notes', 'search')
    await page.getByLabel('query').press('Alt+KeyJ')
    const editor = page.getByLabel('JSON of search')
    await editor.fill('{\n"limit": ,\n"query": "milk"}')
    await page.locator('.cm-lintRange-error', { hasText: '"limit": ,' }).waitFor()
    await page.getByText(/is not JSON/).waitFor()
    expect(await editor.getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await editor.press('Tab')
    expect(await page.evaluate(`document.activeElement.closest('.json-editor')`)).toBe(null)
    await editor.fill('{"query": "milk", "limit": 21}')
    await page.keyboard.press('Control+Enter')
    await result().getByText('Invalid arguments for search').waitFor()
    await page.getByRole('button', { name: 'JSON', exact: true }).first().click()
    const limit = page.getByLabel('limit', { exact: true })
    expect(await limit.getAttribute('aria-invalid')).toBe('true')
    await limit.fill('20')
    await page.keyboard.press('Control+Enter')
    await result().getByText('Found milk').waitFor()
  })

  test('asks for confirmation before it runs a destructive tool', async () => {
    await showTool('notes', 'delete')
    await page.getByLabel('id', { exact: true }).fill('7')
    await run()
    const dialog = page.getByRole('dialog', { name: 'Run delete in production?' })
    await dialog.getByText('"id": "7"').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await result().count()).toBe(0)
    await run()
    await dialog.getByRole('button', { name: 'Run' }).click()
    await result().getByText('Deleted 7').waitFor()
  })

  test('lists earlier calls, and reuses one in the form, as a command or as a test case', async () => {
    await showTool('notes', 'search')
    for (const query of ['tea', 'milk']) {
      await page.getByLabel('query').fill(query)
      await run()
      await result().getByText(`Found ${query}`).waitFor()
    }
    await page.getByRole('link', { name: 'delete' }).click()
    await page.getByRole('button', { name: 'search', exact: true }).last().click()
    await result().getByText('Found tea').waitFor()
    await page.getByRole('button', { name: 'Use these arguments' }).click()
    expect(await page.getByLabel('query').inputValue()).toBe('tea')
    await page.getByRole('button', { name: 'Copy the command' }).click()
    const copied = () => page.evaluate('navigator.clipboard.readText()')
    expect(await copied()).toBe(`mcp call notes search '{"query":"tea"}' --env production`)
    await page.getByRole('button', { name: 'Test case…' }).click()
    await page.getByLabel('What would a user ask').fill('Which notes are about tea?')
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied the test case.').waitFor()
    expect(await copied()).toContain('- message: "Which notes are about tea?"')
    await page.getByRole('button', { name: 'Test case…' }).click()
    await page.getByLabel('What would a user ask').fill('call search with "tea"')
    await page.getByRole('button', { name: 'Run it now' }).click()
    await page.getByText('1 of 1 case passed.').waitFor()
    await page.getByRole('row').getByRole('link', { name: 'search' }).waitFor()
  })

  test('shows progress, and cancels a call', async () => {
    await showTool('everything', 'trigger-long-running-operation')
    await page.getByLabel('duration').fill('60')
    await page.getByLabel('steps').fill('600')
    await run()
    await page.getByText(/of 600/).waitFor()
    await page.getByRole('textbox', { name: 'steps' }).press('Control+Enter')
    const calls = page.getByRole('region', { name: 'Calls' }).getByRole('listitem')
    expect(await calls.count()).toBe(1)
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await result().getByText('You cancelled the call.').waitFor()
  })

  test.each(['2026-07-28', '2025-11-25'])(
    'the user can answer or refuse questions from the server in protocol %s',
    async version => {
      await showPlayground('everything')
      await page.getByLabel('Protocol').selectOption({ label: `${version}, ${ERAS[version]}` })
      await page.getByTitle(`Connected with ${version}`).waitFor()
      expect(await page.getByLabel('Protocol').locator('option').first().textContent()).toBe('newest')
      await page.getByRole('link', { name: 'trigger-elicitation-request' }).click()
      await run()
      await page.getByRole('textbox', { name: 'name' }).fill('Ada')
      await page.getByRole('button', { name: 'Answer' }).click()
      await result().getByText('Name: Ada').waitFor()
      await page.getByRole('link', { name: 'trigger-sampling-request' }).click()
      await page.getByRole('textbox', { name: 'prompt' }).fill('1 + 1?')
      await run()
      await page.getByText('context: 1 + 1?').waitFor()
      await page.getByLabel('Your answer').fill('two')
      await page.getByRole('button', { name: 'Answer' }).click()
      await result()
        .getByText(/"?text"?: "?two/)
        .waitFor()
      await run()
      await page.getByRole('button', { name: 'Refuse' }).click()
      await result().getByText('The user refused the request.').waitFor()
    },
  )

  test('reads resources and templates, and gets prompts with the values that the server offers', async () => {
    await showPlayground('everything')
    await page.getByRole('link', { name: 'Dynamic Text Resource' }).click()
    await page.getByRole('combobox', { name: 'resourceId' }).fill('7')
    await page.getByRole('button', { name: 'Read' }).click()
    await result().getByText('Resource 7').waitFor()
    await page.getByRole('link', { name: 'architecture.md' }).click()
    await page.getByRole('heading', { name: 'architecture.md' }).click()
    await page.keyboard.press('Control+Enter')
    await result().getByText('Everything Server').first().waitFor()
    await page.getByRole('link', { name: 'completable-prompt' }).click()
    await page.getByRole('combobox', { name: 'department' }).fill('Eng')
    await page.locator('option[value="Engineering"]').waitFor({ state: 'attached' })
    await page.getByRole('combobox', { name: 'department' }).fill('Engineering')
    await page.getByRole('combobox', { name: 'name' }).fill('Alice')
    await page.getByRole('button', { name: 'Get', exact: true }).click()
    await result()
      .getByText(/promote Alice/)
      .waitFor()
    await expectAccessible(page)
  })

  test('shows an error thrown by a module, and reads a resource that a result links to', async () => {
    await showTool('depot', 'close')
    await run()
    await result().getByText('The depot is closed on Sundays').waitFor()
    await page.getByRole('link', { name: 'find' }).click()
    await run()
    await result().getByRole('button', { name: 'Read' }).click()
    await result().getByText('Two shelves').waitFor()
    expect(new URL(page.url()).searchParams.get('name')).toBe('depot://plan')
  })

  test('uses the preview of a server that is not deployed', async () => {
    await buildServer(daemon, { ...NOTES, name: 'draft' })
    await showPlayground('draft')
    await page.getByRole('link', { name: 'search' }).click()
    await page.getByLabel('query').fill('tea')
    await run()
    await result().getByText('Found tea').waitFor()
    expect(new URL(page.url()).searchParams.get('env')).toBe('preview')
  })

  test('explains why a stopped server does not answer, and continues when it runs again', async () => {
    const { deployment_id } = await deploy(
      daemon,
      await buildServer(daemon, { ...NOTES, name: 'halted' }),
      'staging',
    )
    await daemon.api('POST', `/v1/deploy/${deployment_id}/stop`)
    await showPlayground('halted')
    await page
      .getByRole('alert')
      .getByText(/halted.*not running|stopped/)
      .waitFor()
    await daemon.api('POST', `/v1/deploy/${deployment_id}/start`)
    await page.getByRole('link', { name: 'search' }).waitFor()
  })

  test('shows what to do about a broken connection and a server with its own sign-in', async () => {
    await showTool('notes', 'search')
    await page.getByLabel('query').fill('tea')
    await page.route('**/mcp/production', route => route.abort())
    await run()
    await result()
      .getByText(/is unreachable/)
      .waitFor()
    await page.unrouteAll()
    const tokens: (string | undefined)[] = []
    await page.route('**/mcp/production', route => {
      tokens.push(route.request().headers().authorization)
      return tokens.length > 1 ? route.continue() : route.fulfill({ status: 401, body: '' })
    })
    await goto('/servers/notes/playground')
    await page.getByLabel('Token').fill('secret')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('link', { name: 'search' }).waitFor()
    expect(tokens.slice(0, 2)).toEqual([undefined, 'Bearer secret'])
    await page.unrouteAll()
  })

  test('names the missing scope when a key may not call tools', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ'] })
    page = await show('/servers/notes/playground', { key })
    await page.getByRole('alert').getByText(/CHAT/).first().waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })
})
