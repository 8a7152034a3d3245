import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../../helpers/clients/chromium.ts'
import { daemon, expectAccessible, expectNoViolations, show, useConsole } from '../use-console.ts'

describe.runIf(CHROMIUM !== undefined)('the settings of a server', () => {
  useConsole()

  const configuration = (page: Page) => page.getByRole('region', { name: 'Scaling and limits' })
  const fact = (page: Page, name: string) =>
    configuration(page).locator('dl > div').filter({ hasText: name }).locator('dd')
  const openForm = async (page: Page) => {
    await page.getByRole('button', { name: 'Change the configuration' }).click()
    const dialog = page.getByRole('dialog', { name: /^Configuration of / })
    await dialog.getByRole('button', { name: 'Release' }).waitFor()
    return dialog
  }
  const live = async (name: string) => {
    const { body } = await daemon.api('GET', `/v1/deploy?name=${name}&status=deployed`)
    return body.data.items[0]
  }

  test('describes the configuration in words, and releases a changed configuration', async () => {
    const config = { log_level: 'debug', auth: { provider: 'local' } }
    await deploy(daemon, await buildServer(daemon, echoServer('tuned')), 'production', config)
    const page = await show('/servers/tuned/settings')
    await fact(page, 'Memory per instance').getByText('512 MiB (default)').waitFor()
    expect(await fact(page, 'Instances').textContent()).toBe('1 to 10 (default)')
    expect(await fact(page, 'Log level').textContent()).toBe('debug ')
    await expectAccessible(page)
    const dialog = await openForm(page)
    await dialog.getByRole('button', { name: 'Clear log_level' }).click()
    await dialog.getByRole('button', { name: 'Add limits' }).click()
    await dialog.getByRole('textbox', { name: 'memory_mb' }).fill('256')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Release' }).click()
    await page.getByText('Released tuned in production with the changed configuration, as v2.').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await fact(page, 'Memory per instance').getByText('256 MiB').waitFor()
    const { config: after } = await live('tuned')
    expect(after).toEqual({
      scaling: { min_instances: 1, max_instances: 10 },
      limits: { memory_mb: 256 },
      auth: { provider: 'local' },
    })
  })

  test('shows an error from the API next to its setting', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('strict')), 'production')
    const page = await show('/servers/strict/settings')
    const dialog = await openForm(page)
    await dialog.getByRole('button', { name: 'Release' }).click()
    await dialog.getByRole('alert').getByText('No setting was changed.').waitFor()
    await dialog.getByRole('textbox', { name: 'max_instances' }).fill('0')
    await dialog.getByRole('button', { name: 'Release' }).click()
    const field = dialog
      .locator('.sf-row')
      .filter({ has: page.getByRole('textbox', { name: 'max_instances' }) })
    await field.getByRole('alert').getByText('Too small: expected number to be >=1').waitFor()
    await expectNoViolations(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await live('strict')).version).toBe(1)
  })

  test('does not change a release that another release has replaced', async () => {
    const mcpId = await buildServer(daemon, echoServer('raced'))
    await deploy(daemon, mcpId, 'production')
    const page = await show('/servers/raced/settings')
    const dialog = await openForm(page)
    await deploy(daemon, mcpId, 'production', { timeout_seconds: 5 })
    await dialog.getByRole('textbox', { name: 'session_seconds' }).fill('60')
    await dialog.getByRole('button', { name: 'Release' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/is deployed in its place/)
      .waitFor()
    expect((await live('raced')).config.timeout_seconds).toBe(5)
  })

  test('shows how clients sign in, and no clients for a deployment without sign-in', async () => {
    const mcpId = await buildServer(daemon, echoServer('public'))
    await deploy(daemon, mcpId, 'production')
    await deploy(daemon, mcpId, 'staging', { auth: { provider: 'local', required_scopes: ['notes'] } })
    const page = await show('/servers/public/settings')
    const signIn = page.getByRole('region', { name: 'Sign-in' })
    await signIn.getByText('Every client on this machine may use the server. To require sign-in:').waitFor()
    await signIn.getByText(`mcp deploy ${mcpId} --env production --auth local`, { exact: true }).waitFor()
    expect(await page.getByRole('heading', { name: 'Clients' }).count()).toBe(0)
    await page.getByRole('navigation', { name: 'Environment' }).getByRole('link', { name: 'staging' }).click()
    await signIn.getByText('this daemon (local)').waitFor()
    await signIn.getByText('notes').waitFor()
    await page.getByText('No client has registered in staging.', { exact: true }).waitFor()
    await expectAccessible(page)
  })

  test('maps a subdomain to the server, moves it after confirmation, and removes it', async () => {
    const other = await deploy(daemon, await buildServer(daemon, echoServer('other')), 'production')
    await daemon.api('PUT', '/api/lambda-mapping/elsewhere', { body: { deploymentId: other.deployment_id } })
    const mcpId = await buildServer(daemon, echoServer('named'))
    await deploy(daemon, mcpId, 'production')
    await deploy(daemon, mcpId, 'staging', { domain: 'mcp.example.com' })
    const page = await show('/servers/named/settings?env=staging')
    const mapped = (subdomain: string) =>
      page.getByRole('table', { name: 'Mapped subdomains' }).getByRole('row').filter({ hasText: subdomain })
    const names = page.getByRole('table', { name: 'Names of deployments' })
    await names.getByText('mcp.example.com', { exact: true }).waitFor()
    await page.getByText('No subdomain is mapped to this server.').waitFor()
    expect(await names.getByText('other').count()).toBe(0)
    await page.getByRole('button', { name: 'Map a subdomain' }).click()
    const dialog = page.getByRole('dialog', { name: 'Map a subdomain' })
    const targets = await dialog.getByRole('option').allTextContents()
    expect(targets).toEqual(['named in production', 'named in staging'])
    await dialog.getByRole('textbox', { name: 'Subdomain' }).fill('team')
    await dialog.getByRole('button', { name: 'Map' }).click()
    await mapped('team').getByText('named in staging').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Change the target of team' }).click()
    await page.getByLabel('Points to').selectOption('named in production')
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
    await page.getByRole('dialog', { name: 'Move team?' }).getByRole('button', { name: 'Move' }).click()
    await mapped('team').getByText('named in production').waitFor()
    await page.getByRole('button', { name: 'Remove team' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No subdomain is mapped to this server.').waitFor()
  })

  test('names the only environment of a server instead of offering a choice', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('single')), 'production')
    const page = await show('/servers/single/settings')
    await page.getByRole('paragraph').getByText('production', { exact: true }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Environment' }).count()).toBe(0)
  })
})
