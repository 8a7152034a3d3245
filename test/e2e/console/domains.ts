import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { buildServer, createKey, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { makeCertificate, servedFingerprint } from '../../helpers/services/certificates.ts'
import { daemon, expectAccessible, show, useConsole } from './use-console.ts'

describe.runIf(CHROMIUM !== undefined)('the domains of the console', () => {
  useConsole()

  const row = (page: Page, subdomain: string) =>
    page.getByRole('table', { name: 'Mapped subdomains' }).getByRole('row').filter({ hasText: subdomain })
  const writeCertificate = async (host: string, days: number) => {
    const { pem, key } = await makeCertificate(host, days)
    mkdirSync(daemon.home.tls, { recursive: true })
    writeFileSync(join(daemon.home.tls, `${host}.pem`), pem)
    writeFileSync(join(daemon.home.tls, `${host}.key`), key)
  }
  const mapped = async (subdomain: string) =>
    (await daemon.api('GET', `/api/lambda-mapping/${subdomain}`)).body

  test('maps a subdomain, moves it after confirmation, and removes it', async () => {
    const page = await show('/domains')
    await page.getByRole('heading', { name: 'No subdomain is mapped' }).waitFor()
    const mcpId = await buildServer(daemon, echoServer('parrot'))
    await deploy(daemon, mcpId, 'production')
    const { deployment_id: staging } = await deploy(daemon, mcpId, 'staging', {
      domain: 'expired.example.com',
    })
    await writeCertificate('expired.example.com', -1)
    await page
      .getByRole('table', { name: 'Names of deployments' })
      .getByText('parrot.localhost', { exact: true })
      .waitFor()
    await page.getByRole('button', { name: 'Map a subdomain' }).click()
    await page.getByRole('textbox', { name: 'Subdomain' }).fill('team')
    await page.getByLabel('Points to').selectOption('parrot in production')
    await page.getByRole('dialog').getByRole('button', { name: 'Map' }).click()
    await row(page, 'team').getByText('parrot in production').waitFor()
    await page.getByRole('button', { name: 'Load the certificates again' }).click()
    await page.getByText('expired.example.com.pem expired on').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Change the target of team' }).click()
    await page.getByLabel('Points to').selectOption('parrot in staging')
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
    const question = page.getByRole('dialog', { name: 'Move team?' })
    await question.getByText('It points to parrot in production.').waitFor()
    await expectAccessible(page)
    expect((await mapped('team')).environment).toBe('production')
    await question.getByRole('button', { name: 'Move' }).click()
    await row(page, 'team').getByText('parrot in staging').waitFor()
    expect((await mapped('team')).deploymentId).toBe(staging)
    await page.getByRole('button', { name: 'Remove team' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No subdomain is mapped' }).waitFor()
  })

  test('does not move a subdomain that another client has changed in the meantime', async () => {
    const ids: string[] = []
    for (const name of ['first', 'second', 'third']) {
      const { deployment_id } = await deploy(daemon, await buildServer(daemon, echoServer(name)))
      ids.push(deployment_id)
    }
    const put = (deploymentId: string | undefined) =>
      daemon.api('PUT', '/api/lambda-mapping/shared', { body: { deploymentId, replace: true } })
    await put(ids[0])
    const page = await show('/domains')
    await page.getByRole('button', { name: 'Map a subdomain' }).click()
    await page.getByRole('textbox', { name: 'Subdomain' }).fill('shared')
    await page.getByLabel('Points to').selectOption('second in development')
    await page.getByRole('dialog').getByRole('button', { name: 'Map' }).click()
    const question = page.getByRole('dialog', { name: 'Move shared?' })
    await question.waitFor()
    await put(ids[2])
    await question.getByRole('button', { name: 'Move' }).click()
    await question.getByRole('alert').waitFor()
    expect((await mapped('shared')).server).toBe('third')
  })

  test('shows the certificates of names and of the local authority, and hides the list if the API returns 404', async () => {
    await deploy(daemon, await buildServer(daemon, echoServer('soon')), 'production', {
      domain: 'soon.example.com',
    })
    await writeCertificate('soon.example.com', 9.5)
    const { body } = await daemon.api('GET', '/api/certificates')
    const fingerprint = await servedFingerprint('soon.localhost', body.port)
    const page = await show('/domains')
    const certificates = page.getByRole('table', { name: 'Certificates', exact: true })
    const of = (name: string) => certificates.getByRole('row').filter({ hasText: name })
    await of('soon.example.com').getByText('in 9 d').waitFor()
    await of('soon.localhost').getByText('Local authority').waitFor()
    await page.getByRole('button', { name: 'Copy the fingerprint of soon.localhost' }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(fingerprint)
    await page.getByText('mcp-hosting local authority').waitFor()
    await page.route('**/api/certificates', route => route.fulfill({ status: 404, body: '<h1>404</h1>' }))
    await page.getByRole('button', { name: 'Load the certificates again' }).click()
    await page.getByRole('region', { name: 'Certificates', exact: true }).waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('names the missing scope when a key may not read domains', async () => {
    const { key } = await createKey(daemon, { scopes: ['CHAT'] })
    const page = await show('/domains', { key })
    await page.getByRole('alert').getByText(/READ/).first().waitFor()
  })
})
