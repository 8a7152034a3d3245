import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { daemon, expectAccessible, goto, show, useConsole } from './use-console.ts'

const MEMORY = fileURLToPath(new URL('../../../node_modules/.bin/mcp-server-memory', import.meta.url))
/** A program that exits unless its variable is set. */
const CHECKED = `[ -n "$CRM_URL" ] || { echo "CRM_URL is not set" >&2; exit 1; }; exec ${MEMORY}`

const buildProgram = async (name: string): Promise<string> => {
  const program = { type: 'stdio', command: 'sh', args: ['-c', CHECKED] }
  const { body } = await daemon.api('POST', '/v1/build', { body: { name, template: 'custom', program } })
  return body.data.mcp_id
}

const releasesOf = async (name: string) =>
  (await daemon.api('GET', `/api/servers/${name}/releases`)).body.items

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })

describe.runIf(CHROMIUM !== undefined)('releases in the console', () => {
  useConsole()

  test('shows why the newest build failed when the server has no deployment', async () => {
    const mcpId = await buildProgram('crm')
    const page = await show()
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'crm', exact: true }) })
    await row.getByRole('link', { name: /exited with code 1/ }).click()
    await page.waitForURL(`**/builds/${mcpId}`)
    await page.getByRole('alert').getByText('CRM_URL is not set').waitFor()
    for (const path of ['/servers/crm', '/servers/crm/playground']) {
      await goto(path)
      await page.getByRole('alert').getByText('CRM_URL is not set').waitFor()
      expect(await page.getByText('not deployed').count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Deploy' }).count()).toBe(0)
    }
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Show the build' }).click()
    await page.waitForURL(`**/builds/${mcpId}`)
  })

  test('deploys an undeployed build exactly once, even if the answer from the API is lost', async () => {
    const env = [{ name: 'CITY', required: true, description: 'Where the shop is' }]
    await buildServer(daemon, echoServer('shop', { env }))
    const page = await show('/servers/shop')
    await page.getByRole('link', { name: 'Try it in the playground' }).click()
    await page.getByRole('link', { name: 'say' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Deploy' }).click()
    const dialog = dialogOf(page, 'Deploy shop')
    await dialog.getByLabel('Environment').selectOption('staging')
    await dialog.getByText('The deployment gets the default configuration.').waitFor()
    await dialog.getByLabel('Variable CITY').fill('Oslo')
    await dialog.getByLabel('Message').fill('First try')
    await expectAccessible(page)
    await page.route('**/v1/deploy', async route => {
      const request = route.request()
      const { host } = new URL(request.url())
      const headers = { ...(await request.allHeaders()), host }
      await daemon.api('POST', '/v1/deploy', { key: null, headers, body: request.postData() })
      await route.abort()
    })
    const submit = () => dialog.getByRole('button', { name: 'Deploy' }).click()
    await submit()
    await dialog.getByText(/is unreachable/).waitFor()
    await page.unroute('**/v1/deploy')
    await submit()
    await page.getByText('Deployed shop to staging as v1.').waitFor()
    expect(await releasesOf('shop')).toHaveLength(1)
    const release = page.getByRole('region', { name: 'Last release' })
    await release.getByText('First try').waitFor()
    await release.getByText('deployed').waitFor()
    await expectAccessible(page)
  })

  test('promotes a release once its breaking changes are confirmed, and keeps the configuration of production', async () => {
    const old = await buildServer(daemon, echoServer('sold'))
    await deploy(daemon, old, 'production', { auth: { provider: 'local' } })
    const [tool] = echoServer().tools
    const next = await buildServer(daemon, echoServer('sold', { tools: [{ ...tool, name: 'ask' }] }))
    const page = await show(`/builds/${next}`)
    await page.getByRole('button', { name: 'Deploy' }).click()
    await dialogOf(page, 'Deploy sold').getByRole('button', { name: 'Deploy' }).click()
    await page.getByText('Deployed sold to development as v1.').waitFor()
    await goto('/servers/sold/releases?env=development')
    await page.getByRole('button', { name: 'Promote v1' }).click()
    const dialog = dialogOf(page, 'Promote v1 of sold')
    await dialog.getByText('tools.say').waitFor()
    expect(await dialog.getByLabel('Environment').locator('option').allTextContents()).toEqual([
      'staging',
      'production',
    ])
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Deploy anyway' }).click()
    await page.getByText('Deployed sold to production as v2.').waitFor()
    const { body } = await daemon.api('GET', '/v1/deploy?name=sold&environment=production&status=deployed')
    expect(body.data.items[0]).toMatchObject({ mcp_id: next, config: { auth: { provider: 'local' } } })
  })

  test('shows why a deployment failed, in the dialog and in the history', async () => {
    const variables = { CRM_URL: 'https://crm.example.com' }
    await daemon.api('PATCH', '/v1/servers/broken/env/development', { body: { variables } })
    const mcpId = await buildProgram('broken')
    await deploy(daemon, mcpId)
    const page = await show('/servers/broken/releases')
    await page.getByRole('button', { name: 'Deploy the newest build' }).click()
    const dialog = dialogOf(page, 'Deploy broken')
    await dialog.getByLabel('Environment').selectOption('production')
    await dialog.getByRole('button', { name: 'Deploy' }).click()
    await dialog.getByRole('alert').getByText('CRM_URL is not set').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'production' }).click()
    await page.getByRole('table').getByText('CRM_URL is not set').waitFor()
    await page.getByRole('link', { name: 'Servers' }).click()
    await page
      .getByRole('row', { name: /production/ })
      .getByRole('link', { name: /exited with code 1/ })
      .waitFor()
    await expectAccessible(page)
    await daemon.api('PATCH', '/v1/servers/broken/env/development', {
      body: { variables: { CRM_URL: null } },
    })
    await buildProgram('broken')
    await goto('/servers/broken?env=development')
    const release = page.getByRole('region', { name: 'Last release' })
    await release.getByText('The newest build failed').waitFor()
    await release.getByText('CRM_URL is not set').waitFor()
  })
})
