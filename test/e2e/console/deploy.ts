import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { daemon, dropFile, expectAccessible, show, useConsole } from './use-console.ts'

const REASON = /does not match its outputSchema: "condition" is required/
const WEATHER = 'Weather: three tools, resources, a prompt and data tables'

describe.runIf(CHROMIUM !== undefined)('a new server in the console', () => {
  useConsole()

  test('deploys a definition from the page, and shows why an invalid one cannot be deployed', async () => {
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
      [{ ...example, deploy: { requireTest: 1 } }, /requires a test/],
      [{ ...example, tools: 1, prompts: 1 }, /tools.* \(and 1 more\)$/],
    ] as const) {
      await dialog.getByLabel(/^Or a file/).setInputFiles(file(content))
      await submit()
      await dialog.getByRole('alert').getByText(problem).first().waitFor()
    }
    // The first reason is part of the message, and not repeated below it.
    expect(await dialog.getByRole('alert').getByText(/tools/).count()).toBe(1)
    await dialog
      .getByRole('alert')
      .getByText(/^prompts/)
      .waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Example').selectOption({ label: WEATHER })
    await dialog.getByRole('alert').waitFor({ state: 'detached' })
    expect(await dialog.getByLabel(/^Or a file/).inputValue()).toBe('')
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

  test('turns the operations of an OpenAPI description into tools, and asks for the variables that they need', async () => {
    const api = createServer((request, response) => {
      const isKnown = request.headers['x-key'] === 'k1'
      response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isKnown ? { pets: ['Rex'] } : {}))
    })
    onTestFinished(() => void api.close())
    await new Promise<void>(done => api.listen(0, '127.0.0.1', done))
    const description = `openapi: 3.1.0
info: { title: Pet Store, version: "1" }
servers: [{ url: "http://127.0.0.1:${(api.address() as AddressInfo).port}" }]
security: [{ key: [] }]
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
paths: { /pets: { get: { operationId: listPets, responses: {} } } }
`
    const page = await show()
    await page.getByRole('button', { name: 'New server' }).click()
    const dialog = page.getByRole('dialog', { name: 'New server' })
    await dialog.getByLabel('Definition').waitFor()
    await dropFile(page, 'dialog textarea', { name: 'api.yaml', text: description })
    await expect.poll(() => dialog.getByLabel('Definition').inputValue()).toContain('"name": "pet-store"')
    await dialog.getByLabel('Example').getByText('None (your own text)').waitFor({ state: 'attached' })
    await dialog.getByRole('button', { name: 'Deploy to development' }).click()
    const deploy = page.getByRole('dialog', { name: 'Deploy pet-store' })
    await deploy.getByText('which has no value in development yet').waitFor()
    await deploy.getByLabel(/API_KEY/).fill('k1')
    await expectAccessible(page)
    await deploy.getByRole('button', { name: 'Deploy', exact: true }).click()
    await deploy.waitFor({ state: 'detached' })
    // After the deployment, the page shows the playground.
    await page.getByRole('link', { name: 'listPets' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('region', { name: 'Result' }).getByText('Rex').first().waitFor()
  })

  test('deploys the weather example, calls it, breaks it, shows the reason and rolls back', async () => {
    const page = await show('/domains')
    await page.getByRole('link', { name: 'Servers' }).click()
    await page.getByRole('button', { name: 'New server' }).click()
    const created = page.getByRole('dialog', { name: 'New server' })
    await created.getByLabel('Example').selectOption({ label: WEATHER })
    await created.getByRole('button', { name: 'Deploy to development' }).click()
    await page.getByRole('link', { name: 'current_weather' }).click()
    const callOslo = async (answer: string | RegExp) => {
      await page.getByLabel('city').selectOption('Oslo')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('region', { name: 'Result' }).getByText(answer).first().waitFor()
    }
    await callOslo('humidity_percent')

    await page.getByRole('button', { name: 'Edit definition' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit the definition of weather' })
    const definition = edit.getByLabel('Definition')
    const text = await definition.inputValue()
    await paste(page, definition, text.replace('"name": "weather"', '"name": "climate"'))
    await edit.getByRole('button', { name: 'Build' }).click()
    await edit.getByText('The name must stay "weather".').waitFor()
    await expectAccessible(page)
    await paste(page, definition, text.replace('.current.condition }}', '.current.sky }}'))
    await edit.getByRole('button', { name: 'Build' }).click()
    const deployed = page.getByRole('dialog', { name: 'Deploy weather' })
    await deployed.getByText('No tool, resource or prompt changes for clients.').waitFor()
    await deployed.getByLabel('Message').fill('Shorter names')
    await expectAccessible(page)
    await deployed.getByRole('button', { name: 'Deploy' }).click()
    await page.getByText('Deployed weather to development as v2.').waitFor()
    await page.getByRole('region', { name: 'Result' }).getByText('from v1').waitFor()

    await callOslo(REASON)
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.getByRole('listbox', { name: 'Requests' }).getByText(REASON).waitFor()
    await page.getByRole('link', { name: 'Releases' }).click()
    await page.getByRole('row').filter({ hasText: 'Shorter names' }).getByText('deployed').waitFor()
    await page.getByRole('button', { name: 'Roll back to v1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back to v1' }).click()
    await page.getByText('was rolled back to v1, as v3.').waitFor()
    await page.getByRole('row').filter({ hasText: 'Shorter names' }).getByText('replaced').waitFor()
    // The playground still shows the tool.
    await page.getByRole('link', { name: 'Playground' }).click()
    await callOslo('humidity_percent')
  })
})

/** Replaces the text of a field. Chromium lays the page out only once. With `fill`, it would do so after every line. */
async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await field.press('Control+A')
  await field.press('Control+V')
}
