import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createKey } from '../../daemon/http/fixtures.ts'
import { tarGz } from '../../helpers/archives.ts'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { daemon, dropFile, expectAccessible, HARMLESS, show, useConsole } from './use-console.ts'

const ARCHIVE = tarGz([{ name: 'server.mjs', content: 'export default {}' }])
const DIGEST = createHash('sha256').update(ARCHIVE).digest('hex')

describe.runIf(CHROMIUM !== undefined)('the projects of the console', () => {
  useConsole()

  const create = async (body: object): Promise<string> =>
    (await daemon.api('POST', '/api/projects', { body })).body.id
  const stored = async (id: string) => (await daemon.api('GET', `/api/projects/${id}`)).body
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

  test('creates a project, renames it, and refuses a name in use', async () => {
    const page = await show('/projects')
    await page.getByRole('heading', { name: 'No projects yet' }).waitFor()
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill(HARMLESS)
    await page.keyboard.press('Enter')
    await row(page, HARMLESS).getByText('active').waitFor()
    await create({ name: 'taken' })
    await page.getByRole('button', { name: `Edit ${HARMLESS}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('taken')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/Project "taken" already exists/).waitFor()
    await dialog.getByLabel('Name').fill('renamed')
    await dialog.getByLabel('Description').fill('Forecasts')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row(page, 'renamed').getByText('Forecasts').waitFor()
    await expectAccessible(page)
  })

  test('uploads an archive that the user chooses, and shows why a dropped file is rejected', async () => {
    const id = await create({ name: 'with-source' })
    const page = await show('/projects')
    const upload = page.getByRole('button', { name: 'Upload the source of with-source' })
    await upload.click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByLabel('Archive')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: ARCHIVE })
    await dialog.getByRole('button', { name: 'Upload' }).click()
    await dialog.getByText('a.txt is not a .tar.gz or .zip archive.').waitFor()
    await expectAccessible(page)
    const archive = { name: 'a.tar.gz', mimeType: '', buffer: ARCHIVE }
    await dialog.getByLabel('Archive').setInputFiles(archive)
    await dialog.getByRole('button', { name: 'Upload' }).click()
    await row(page, 'with-source').getByText(DIGEST.slice(0, 12)).waitFor()
    expect(await stored(id)).toMatchObject({ sourceDigest: DIGEST, sourceBytes: ARCHIVE.length })
    await row(page, 'with-source').getByText(`${ARCHIVE.length} B`).waitFor()
    await upload.click()
    await dropFile(page, '.file-drop', { name: 'dropped.zip', text: 'not an archive' })
    await dialog.getByText('dropped.zip').waitFor()
    await dialog.getByRole('button', { name: 'Upload' }).click()
    await dialog.getByRole('alert').waitFor()
    expect((await stored(id)).sourceDigest).toBe(DIGEST)
  })

  test('archives, reactivates and deletes a project after confirmation', async () => {
    const id = await create({ name: 'old' })
    const page = await show('/projects')
    for (const [verb, status] of [
      ['Archive', 'archived'],
      ['Reactivate', 'active'],
      ['Delete', 'deleted'],
    ] as const) {
      await page.getByRole('button', { name: `${verb} old` }).click()
      expect((await stored(id)).status).not.toBe(status)
      await page.getByRole('dialog').getByRole('button', { name: verb }).click()
      await expect.poll(async () => (await stored(id)).status).toBe(status)
    }
    await row(page, 'old').waitFor({ state: 'detached' })
    await page.getByLabel('Status').selectOption('Deleted')
    await row(page, 'old').getByText('deleted').waitFor()
    await page.getByRole('link', { name: 'Show the builds of old' }).click()
    await page.getByText('No container build matches the filters.').waitFor()
    expect(await page.getByLabel('Filter by project').inputValue()).toBe(id)
  })

  test('names the missing scope when a key may not create projects', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ'] })
    const page = await show('/projects', { key })
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('refused')
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .getByText(/BUILD_AND_DEPLOY/)
      .first()
      .waitFor()
  })
})
