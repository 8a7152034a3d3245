import { chmodSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { buildServer, createKey, deploy, echoServer } from '../../daemon/http/fixtures.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { daemon, expectAccessible, expectNoViolations, show, useConsole } from './use-console.ts'

describe.runIf(CHROMIUM !== undefined)('the system in the console', () => {
  useConsole()

  test('shows the daemon, repairs what a check found, and creates a backup', async () => {
    chmodSync(daemon.home.logs, 0o755)
    const page = await show('/system')
    await page.getByText('There is no backup yet.').waitFor()
    await page.getByText(/^\d+ MiB$/).waitFor()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'database, pass' })
      .getByText(daemon.home.database)
      .waitFor()
    await page.getByText(String(process.pid), { exact: true }).waitFor()
    const repair = page.getByRole('button', { name: 'Repair permissions' })
    await repair.click()
    await page.getByText(`Removed other users' access to ${daemon.home.logs}.`, { exact: true }).waitFor()
    await repair.waitFor({ state: 'detached' })
    expect(statSync(daemon.home.logs).mode & 0o777).toBe(0o700)
    await page.getByRole('button', { name: 'Back up now' }).click()
    const backups = page.getByRole('table', { name: 'Backups' })
    await backups.getByRole('cell', { name: 'manual' }).waitFor()
    await page.getByText(/^Backed up the database and/).waitFor()
    const { body } = await daemon.api('GET', '/api/daemon/backups')
    await backups.getByText(body.items[0].file).waitFor()
    await expectAccessible(page)
  })

  test('removes only the unused items that the user selects', async () => {
    const ids = [await buildServer(daemon, echoServer('tidy')), await buildServer(daemon, echoServer('tidy'))]
    await deploy(daemon, await buildServer(daemon, echoServer('tidy')), 'production')
    const page = await show('/system')
    const unused = page.getByRole('table', { name: 'Items that are no longer used' })
    const row = (id: string) => unused.getByRole('row').filter({ hasText: id })
    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await page.getByText('2 of 2 items').waitFor()
    await expectAccessible(page)
    await row(ids[0]!).getByRole('checkbox').uncheck()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText(/^1 × build/).waitFor()
    await expectNoViolations(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row(ids[1]!).waitFor({ state: 'detached' })
    await row(ids[0]!).waitFor()
    expect((await daemon.api('GET', `/v1/build/${ids[1]}`)).status).toBe(404)
    expect((await daemon.api('GET', `/v1/build/${ids[0]}`)).status).toBe(200)
  })

  test('repeats failed requests when the connection is back', async () => {
    const page = await show()
    await page.route('**/api/daemon/checks', route => route.abort(), { times: 1 })
    await page.getByRole('link', { name: 'System' }).click()
    await page
      .getByRole('alert')
      .getByText(/is unreachable/)
      .waitFor()
    const { port } = daemon.daemon
    await daemon.daemon.close()
    await page.getByText('reconnecting').waitFor()
    await daemon.restart({ port })
    await page.getByText(/checks? passed$/).waitFor()
  })

  test('shows the daemon, but not its backups, when the key may only read', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ'] })
    const page = await show('/system', { key })
    await page.getByText(/^\d+ MiB$/).waitFor()
    await page.getByRole('alert').getByText(/ADMIN/).first().waitFor()
    expect(await page.getByRole('button', { name: 'Back up now' }).count()).toBe(0)
  })
})
