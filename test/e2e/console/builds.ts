import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildServer, createKey, createProject, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { seedSmallBase } from '../../helpers/containers/small-base.ts'
import { filesWithDependency, listen } from '../../helpers/services/npm-registry.ts'
import {
  daemon,
  expectAccessible,
  expectNoViolations,
  goto,
  HARMLESS,
  lengthenList,
  show,
  useConsole,
  visit,
} from './use-console.ts'

describe.runIf(CHROMIUM !== undefined)('builds in the console', () => {
  useConsole()
  /** A package registry that never answers, which keeps a build running. */
  const registry = createServer()
  beforeAll(() => seedSmallBase(daemon.home.images))
  afterAll(() => {
    registry.close()
    registry.closeAllConnections()
  })

  test('starts a container build of a project, and shows its phases, its log and its image', async () => {
    const files = { 'mcp.config.json': JSON.stringify(echoServer('boxed')) }
    const tool = { ...echoServer().tools[0], name: 'broken', handler: { type: 'none' } }
    await createProject(daemon, files, HARMLESS)
    await createProject(
      daemon,
      { 'mcp.config.json': JSON.stringify(echoServer('bad', { tools: [tool] })) },
      'bad',
    )
    const page = await show('/builds?kind=containers')
    await page.getByRole('heading', { name: 'No container builds yet' }).waitFor()
    await page.getByRole('button', { name: 'Start a build' }).click()
    await page.getByRole('dialog').getByLabel('Project').selectOption(HARMLESS)
    await expectNoViolations(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
    const phases = page.getByRole('list', { name: 'Phases' })
    await page.getByRole('button', { name: 'Build again' }).waitFor()
    expect(await phases.getByRole('listitem').filter({ hasText: ', done' }).count()).toBe(5)
    await page.getByRole('listbox', { name: 'Log lines' }).getByText('built boxed: 1 tool,').waitFor()
    await page.getByText(/^sha256:[0-9a-f]{64}$/).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Show the server build' }).click()
    await page.getByRole('link', { name: 'All builds' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'All container builds' }).click()
    await page.getByRole('row').filter({ hasText: HARMLESS }).getByText('succeeded').waitFor()
    await page.getByRole('button', { name: 'Start a build' }).click()
    await page.getByRole('dialog').getByLabel('Project').selectOption('bad')
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
    await page
      .getByRole('alert')
      .getByText(/^INVALID_MCP/)
      .waitFor()
    await phases.getByRole('listitem').filter({ hasText: 'Image' }).getByText('not reached').waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    const failed = page.url()
    await page.getByRole('button', { name: 'Build again' }).click()
    await expect.poll(() => page.url()).not.toBe(failed)
  })

  test('stops a running container build after confirmation', async () => {
    const url = `http://127.0.0.1:${await listen(registry)}/tiny.tgz`
    const project = await createProject(
      daemon,
      filesWithDependency({ url, integrity: `sha512-${'A'.repeat(86)}==` }),
      'stuck',
    )
    const { body } = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
    const page = await show('/builds?kind=containers')
    const row = page.getByRole('row').filter({ hasText: 'stuck' })
    await row.getByRole('cell', { name: 'Install' }).waitFor()
    await row.getByRole('link', { name: 'stuck' }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Install' })
      .getByText(', running')
      .waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Stop the build of stuck' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Build again' }).waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Install' })
      .getByText(', stopped')
      .waitFor({ state: 'attached' })
    expect((await daemon.api('GET', `/api/lambda-builds/${body.id}`)).body.status).toBe('stopped')
  })

  test('shows builds of servers, downloads an image, and removes an unused build', async () => {
    const oldId = await buildServer(daemon, echoServer('shop'))
    const liveId = await buildServer(daemon, echoServer('shop', { version: '2.0.0' }))
    await deploy(daemon, liveId, 'production')
    const [tool] = echoServer().tools
    const newId = await buildServer(daemon, echoServer('shop', { tools: [{ ...tool, name: 'ask' }] }))
    const page = await show('/builds?server=shop')
    const rows = page.getByRole('row').filter({ hasText: 'shop' })
    await rows.filter({ hasText: 'production' }).waitFor()
    expect(await rows.count()).toBe(3)
    expect(await page.getByRole('button', { name: `Remove build ${liveId} of shop` }).count()).toBe(0)
    await expectAccessible(page)
    await rows.filter({ hasText: 'preview' }).getByRole('link', { name: 'shop' }).click()
    await page.getByText('1 breaking').click()
    await page.getByText('tools.say').waitFor()
    await expectAccessible(page)
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the image' }).click()
    const download = await waiting
    expect(download.suggestedFilename()).toMatch(/^shop-[0-9a-f]{12}\.tar$/)
    expect(
      readFileSync(await download.path())
        .subarray(257, 262)
        .toString(),
    ).toBe('ustar')
    await goto(`/builds/${oldId}`)
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await rows.filter({ hasText: 'production' }).waitFor()
    expect((await daemon.api('GET', `/v1/build/${oldId}`)).status).toBe(404)
    expect((await daemon.api('GET', `/v1/build/${newId}`)).status).toBe(200)
  })

  test('shows older builds on request', async () => {
    await buildServer(daemon, echoServer('many'))
    const project = await createProject(daemon, { 'mcp.config.json': '{}' }, 'many')
    await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
    const page = await show()
    await lengthenList(page, '/v1/build?name=many', 'mcp_id')
    await lengthenList(page, `/api/lambda-builds?projectId=${project}`, 'id')
    for (const path of ['/builds?server=many', `/builds?kind=containers&project=${project}`]) {
      await visit(page, path)
      const rows = page.getByRole('row').filter({ hasText: 'many' })
      const more = page.getByRole('button', { name: 'Show older builds' })
      await more.waitFor()
      expect(await rows.count()).toBe(50)
      await more.click()
      await more.waitFor({ state: 'detached' })
      expect(await rows.count()).toBe(51)
    }
  })

  test('names the missing scope when a key may not read builds', async () => {
    const { key } = await createKey(daemon, { scopes: ['ADMIN'] })
    const page = await show('/builds', { key })
    await page.getByRole('alert').getByText(/READ/).first().waitFor()
  })
})
