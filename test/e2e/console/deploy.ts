import { describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { daemon, expectAccessible, show, useConsole } from './use-console.ts'

describe.runIf(CHROMIUM !== undefined)('a new server in the console', () => {
  useConsole()

  test('deploys a definition from the page, and shows why one cannot be deployed', async () => {
    const page = await show()
    await page.getByRole('button', { name: 'New server' }).click()
    const dialog = page.getByRole('dialog', { name: 'New server' })
    const definition = dialog.getByLabel('Definition')
    const submit = () => dialog.getByRole('button', { name: 'Deploy to development' }).click()
    await definition.waitFor()
    const example = JSON.parse(await definition.inputValue())
    const file = (content: unknown) => ({
      name: 'file.json',
      mimeType: 'application/json',
      buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
    })
    for (const [content, problem] of [
      ['{', 'The definition is not valid JSON.'],
      [{ openapi: '3.1.0' }, 'This is an OpenAPI description.'],
      [{ ...example, deploy: { requireTest: 1 } }, /requires a test/],
      [{ ...example, tools: 1 }, /tools/],
    ] as const) {
      await dialog.getByLabel(/^Or a file/).setInputFiles(file(content))
      await submit()
      await dialog.getByRole('alert').getByText(problem).first().waitFor()
    }
    await expectAccessible(page)
    const deploy = {
      production: { scaling: {} },
      origins: '*',
      development: { log_level: 'debug', origins: [] },
    }
    await definition.fill(JSON.stringify({ ...example, $schema: './x.json', test: 'tests.yaml', deploy }))
    await submit()
    await page.getByRole('heading', { name: 'greeter', exact: true }).waitFor()
    await page.getByText('Greets a person by name.').first().waitFor()
    const { body } = await daemon.api('GET', '/v1/deploy?name=greeter')
    expect(body.data.items[0].config).toMatchObject({ log_level: 'debug' })
  })
})
