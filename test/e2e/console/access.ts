import { describe, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { daemon, expectAccessible, expectNoViolations, show, useConsole } from './use-console.ts'

describe.runIf(CHROMIUM !== undefined)('access in the console', () => {
  useConsole()

  test('creates a key, shows its secret once, and revokes it after confirmation', async () => {
    const page = await show('/keys')
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await row('owner').getByText('this browser').waitFor()
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('<b>ci</b>')
    await page.getByLabel('CHAT').check()
    await expectNoViolations(page)
    await page.getByRole('button', { name: 'Create' }).click()
    const secret = page.getByRole('status', { name: 'New key' })
    const key = await secret.locator('code').textContent()
    const { body } = await daemon.api('GET', '/api/deployments/api-key/info', { key: key! })
    expect(body).toMatchObject({ name: '<b>ci</b>', scopes: ['READ', 'CHAT'], expiresAt: expect.any(String) })
    await row('<b>ci</b>').waitFor()
    await page.getByRole('button', { name: 'Reload the keys' }).click()
    await row('<b>ci</b>').getByText('1 of 100').waitFor()
    await expectAccessible(page)
    await secret.getByRole('button', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(key)
    await page.getByRole('button', { name: 'Revoke <b>ci</b>' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row('<b>ci</b>').waitFor({ state: 'detached' })
    expect((await daemon.api('GET', '/v1/build', { key: key! })).status).toBe(401)
  })

  test('shows grants and sign-in clients, and revokes or removes them after confirmation', async () => {
    const auth = { provider: 'local' }
    const mcpId = await buildServer(daemon, echoServer('guarded'))
    const { deployment_id } = await deploy(daemon, mcpId, 'production', { auth })
    const { body } = await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)
    const { issuer } = body.data.sign_in
    const { client_id } = await signInWithKey(issuer, daemon.ownerKey)
    await signInWithKey(issuer, daemon.ownerKey)
    const page = await show('/servers/guarded/settings')
    const grants = page.getByRole('table', { name: 'Grants' })
    const clients = page.getByRole('table', { name: 'Sign-in clients' })
    await clients.getByRole('row').filter({ hasText: client_id }).getByText('127.0.0.1').waitFor()
    await expectAccessible(page)
    await clients.getByRole('button', { name: `Remove ${client_id}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText(`Removed ${client_id} and 1 grant.`).waitFor()
    await grants.getByRole('row').filter({ hasText: client_id }).waitFor({ state: 'detached' })
    await grants.getByRole('button', { name: /^Revoke the access of local/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No user in production has granted a client access to this server.').waitFor()
  })
})
