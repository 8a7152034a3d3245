import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM } from '../../helpers/clients/chromium.ts'
import { browser } from './browser.ts'
import { type FormPage, openFormPage } from './form-page.ts'
import { violations } from './violations.ts'

// Globals of the page (form-page.ts).
declare function showForm(schema: unknown, value?: unknown): void
declare function showResult(result: unknown): void
declare const sent: string[]
declare const form: { reportErrors(message: string): void }

const WEATHER = {
  type: 'object',
  properties: {
    city: { type: 'string', title: 'City name', description: 'Where to look', minLength: 2 },
    days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
    unit: { enum: ['celsius', 'fahrenheit'] },
    limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    tags: { type: 'array', items: { type: 'string' } },
    area: { type: 'object', properties: { zip: { type: 'string', maxLength: 5 } }, required: ['zip'] },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    point: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] },
    photo: { type: 'string', contentEncoding: 'base64' },
    when: { type: 'string', format: 'date-time' },
    extra: {},
    child: { $ref: '#' },
  },
  required: ['city'],
}

describe.skipIf(!CHROMIUM)('schema forms in a browser', () => {
  let opened: FormPage
  beforeAll(async () => {
    opened = await openFormPage(browser)
  })
  afterAll(() => opened?.page.close())
  afterEach(() => expect(opened.complaints.splice(0)).toEqual([]))

  const openForm = (schema: unknown, value?: unknown) =>
    opened.page.evaluate(([s, v]) => showForm(s, v), [schema, value] as const)
  const openResult = (result: unknown) => opened.page.evaluate(shown => showResult(shown), result)
  const lastSent = async () => JSON.parse((await opened.page.evaluate(() => sent.at(-1))) ?? 'null')

  test('a form can be filled in and sent without the mouse', async () => {
    const { page } = opened
    await openForm(WEATHER)
    await page.getByLabel('city').focus()
    await page.keyboard.type('Ulm')
    await page.keyboard.press('Tab')
    await page.keyboard.type('5')
    await page.getByRole('combobox', { name: 'unit' }).focus()
    await page.keyboard.press('ArrowDown')
    for (const name of ['Add tags', 'Add item to tags']) {
      await page.getByRole('button', { name }).focus()
      await page.keyboard.press('Enter')
    }
    await page.getByLabel('tags 1', { exact: true }).fill('a')
    await page.getByRole('button', { name: 'Add area' }).press('Enter')
    await page.getByRole('textbox', { name: 'zip' }).fill('89073')
    await page.getByRole('textbox', { name: 'zip' }).press('Control+Enter')
    const expected = { city: 'Ulm', days: 5, unit: 'celsius', tags: ['a'], area: { zip: '89073' } }
    expect(await lastSent()).toEqual(expected)
  })

  test('fields for maps, tuples, alternatives, files and JSON produce values of the right type', async () => {
    const { page } = opened
    await openForm(WEATHER, { city: 'Ulm' })
    await page.getByRole('button', { name: 'Add labels' }).click()
    await page.getByRole('button', { name: 'Add entry to labels' }).click()
    await page.getByLabel('Name of entry key1').fill('colour')
    await page.getByLabel('Name of entry key1').press('Tab')
    await page.getByLabel('colour', { exact: true }).fill('red')
    await page.getByRole('button', { name: 'Add point' }).click()
    await page.getByLabel('point 2').fill('1.0')
    await page.getByLabel('point 1').fill('-2')
    await page.getByLabel('Kind of limit').selectOption('null')
    await page.getByLabel('limit', { exact: true }).last().selectOption('null')
    await page
      .getByLabel('File for photo')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hi') })
    await page.getByLabel('extra').fill('[1, {"a": null}]')
    await expect.poll(() => page.getByLabel('photo', { exact: true }).inputValue()).toBe('aGk=')
    await page.getByRole('button', { name: 'Run' }).click()
    const expected = {
      city: 'Ulm',
      labels: { colour: 'red' },
      point: [-2, 1],
      limit: null,
      photo: 'aGk=',
      extra: [1, { a: null }],
    }
    expect(await lastSent()).toEqual(expected)
  })

  test('a shortcut switches to raw JSON, which keeps values that the form cannot show', async () => {
    const { page } = opened
    await openForm(WEATHER, { city: 5, unknown: { deep: [true] }, days: 2 })
    await page.getByLabel('days', { exact: true }).press('Alt+KeyJ')
    const raw = page.getByLabel('JSON of tool')
    expect(JSON.parse(await raw.inputValue())).toEqual({ city: 5, unknown: { deep: [true] }, days: 2 })
    await raw.fill('{"city": "Bonn", "days": 2.50, "unknown": [1]')
    await page.getByRole('button', { name: 'Run' }).click()
    expect(await lastSent()).toBeNull()
    expect(await page.locator('.sf-hint').textContent()).toContain('is not JSON')
    await raw.fill('{"city": "Bonn", "days": 2.50, "unknown": [1]}')
    await raw.press('Alt+KeyJ')
    expect(await page.getByLabel('days', { exact: true }).inputValue()).toBe('2.5')
    expect(await page.getByLabel('unknown', { exact: true }).inputValue()).toBe('[\n  1\n]')
    await page.getByRole('button', { name: 'Run' }).click()
    expect(await lastSent()).toEqual({ city: 'Bonn', days: 2.5, unknown: [1] })
  })

  test('an error from the server appears next to the field that it names, and disappears when the field changes', async () => {
    const { page } = opened
    await openForm(WEATHER, { city: 'Ulm', area: { zip: '1' } })
    await page.evaluate(() => form.reportErrors('/area/zip must be a <b>German</b> zip'))
    const zip = page.getByRole('textbox', { name: 'zip' })
    expect(await zip.getAttribute('aria-invalid')).toBe('true')
    const notes = (await zip.getAttribute('aria-describedby'))!.split(' ').at(-1)
    expect(await page.locator(`[id="${notes}"]`).textContent()).toBe('/area/zip must be a <b>German</b> zip')
    await expect.poll(() => zip.evaluate(element => element.matches(':focus'))).toBe(true)
    await zip.fill('2')
    expect(await page.getByRole('alert').allTextContents()).toEqual([''])
    await page.evaluate(() => form.reportErrors('The upstream is down'))
    expect(await page.getByRole('alert').allTextContents()).toEqual(['The upstream is down'])
  })

  test('recursive schemas are expanded only as far as the user opens them', async () => {
    const { page } = opened
    await openForm(WEATHER, { city: 'a' })
    await page.getByRole('button', { name: 'Add child' }).click()
    expect(await page.getByRole('button', { name: 'Add child' }).count()).toBe(1)
    await openForm({ oneOf: [{ $ref: '#' }, { $ref: '#' }] })
    expect(await page.getByRole('combobox').count()).toBeLessThan(12)
  })

  test.each(['light', 'dark'] as const)(
    'forms and results have no accessibility violations (%s)',
    async colorScheme => {
      const { page } = opened
      await page.emulateMedia({ colorScheme })
      await openForm(WEATHER, {
        city: 'x',
        days: 9,
        tags: ['a'],
        area: {},
        labels: { a: 'b' },
        point: [1],
        child: {},
      })
      await page.getByRole('button', { name: 'Run' }).click()
      await page.evaluate(() => form.reportErrors('"days" is too far away'))
      await page.getByRole('button', { name: 'Now for when' }).first().click()
      expect(await violations(page)).toEqual([])
      await page.getByRole('button', { name: 'JSON' }).click()
      expect(await violations(page)).toEqual([])
      await openResult({
        isError: true,
        structuredContent: { a: [1, null, 'x', true] },
        content: [
          { type: 'text', text: 'long\n'.repeat(500) },
          { type: 'resource_link', uri: 'https://example.com/', name: 'Link' },
          { type: 'image', mimeType: 'image/png', data: PIXEL },
        ],
      })
      expect(await violations(page)).toEqual([])
    },
  )

  const PIXEL =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

  test('images, audio and resources of a result are shown in the page', async () => {
    const { page } = opened
    await openResult({
      content: [
        { type: 'image', mimeType: 'image/png', data: PIXEL },
        { type: 'audio', mimeType: 'audio/wav', data: silence() },
        { type: 'image', mimeType: 'image/svg+xml', data: btoa('<svg onload="alert(1)"/>') },
        { type: 'image', mimeType: 'image/png', data: 'not base64!' },
        { type: 'image', mimeType: 'image/png', data: 'A'.repeat(14e6) },
        { type: 'resource_link', uri: 'https://example.com/a', name: 'Report' },
        { type: 'resource_link', uri: 'javascript:alert(1)', name: 'Trap' },
        { type: 'resource', resource: { uri: 'file:///a', text: '{"n": 1}' } },
        { type: 'unheard-of', value: 1 },
      ],
    })
    await expect
      .poll(() =>
        page
          .locator('img')
          .evaluateAll(all => all.map(one => (one as unknown as { naturalWidth: number }).naturalWidth)),
      )
      .toEqual([1])
    expect(await page.locator('audio').getAttribute('src')).toMatch(/^blob:/)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('figure', { hasText: 'image/svg+xml' }).getByRole('link', { name: 'Download' }).click(),
    ])
    expect(await readFile(await download.path(), 'utf8')).toBe('<svg onload="alert(1)"/>')
    expect(await page.getByText('Cannot be shown').count()).toBe(1)
    expect(await page.getByText('At most 10 MB are shown').count()).toBe(1)
    await page.getByRole('button', { name: 'Show as text' }).click()
    await page.getByText('{"n": 1}', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show as tree' }).click()
    const buttons = page.getByRole('button', { name: 'Open…' })
    expect(await buttons.count()).toBe(1)
    await buttons.press('Enter')
    expect(await page.getByRole('dialog').textContent()).toContain('https://example.com/a')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.getByText('unheard-of').count()).toBe(1)
  })

  test('text that repeats the structured content of a result is shown only on request', async () => {
    const { page } = opened
    const text = '{"sky": "clear", "wind": 3}'
    await openResult({ content: [{ type: 'text', text }], structuredContent: { wind: 3, sky: 'clear' } })
    await page.getByText('"clear"').waitFor()
    await page.getByRole('button', { name: 'Show as text' }).click()
    await page.getByText(text, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Hide the text' }).click()
    expect(await page.getByText('clear').count()).toBe(1)
    await openResult({ content: [{ type: 'text', text }], structuredContent: { wind: 4, sky: 'clear' } })
    await expect.poll(() => page.getByText('"clear"').count()).toBe(2)
  })

  test('markup and scripts stay text, and direction controls and escape characters are replaced', async () => {
    const { page } = opened
    const trap = '<img src=x onerror=alert(1)>\u001b[31m\u202eevil\u2066'
    const shown = '<img src=x onerror=alert(1)>�[31m�evil�'
    const part = { title: trap, description: trap, default: trap, examples: [trap], enum: [trap, 'b'] }
    await openForm({
      type: 'object',
      title: trap,
      description: trap,
      properties: { [trap]: part, b: { oneOf: [{ title: trap, type: 'object' }, { type: 'number' }] } },
    })
    await page.evaluate(text => form.reportErrors(text), trap)
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.getByText(shown).count()).toBeGreaterThan(3)
    await openResult({ content: [{ type: 'text', text: trap }], structuredContent: { [trap]: trap } })
    expect(await page.locator('img').count()).toBe(0)
    const text = await page.locator('body').textContent()
    for (const character of ['\u001b', '\u202e', '\u2066']) expect(text).not.toContain(character)
  })

  test('huge schemas and results are truncated until the user asks for more', async () => {
    const { page } = opened
    await page.evaluate(() => {
      const properties: Record<string, unknown> = { ['n'.repeat(5e6)]: {} }
      for (let index = 0; index < 3000; index++) properties[`field${index}`] = { type: 'string' }
      showForm({ type: 'object', description: 'd'.repeat(5e6), properties, required: ['field2999'] })
    })
    expect(await page.locator('.sf-row').count()).toBe(50)
    expect(await page.getByLabel('field2999').count()).toBe(1)
    await page.getByRole('button', { name: 'Show 50 of 2,951 more fields' }).click()
    expect(await page.locator('.sf-row').count()).toBe(100)
    await page.evaluate(() => {
      const list = JSON.stringify(Array(5000).fill(1))
      showResult({
        content: [
          { type: 'text', text: 'x'.repeat(5e6) },
          { type: 'text', text: list },
        ],
      })
    })
    const length = () => page.locator('pre').evaluate(({ textContent }) => textContent!.length)
    expect(await length()).toBeLessThan(21_000)
    await page.getByRole('button', { name: 'Show all 5,000,000 characters' }).click()
    await expect.poll(length).toBe(5e6)
    await page.getByText('[5,000]').click()
    await expect.poll(() => page.locator('.sf-branch > *').count()).toBe(101)
  })
})

/** A hundredth of a second of silence: the header of a WAV file and 80 samples. */
function silence(): string {
  const header = Buffer.from(
    '524946467400000057415645666d74201000000001000100401f0000401f0000010008006461746150000000',
    'hex',
  )
  return Buffer.concat([header, Buffer.alloc(80, 0x80)]).toString('base64')
}
