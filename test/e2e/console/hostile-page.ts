import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { layoutProblems } from './walk/layout.ts'

/** Only the start of a long list or tree is rendered, so no server can exceed this limit. */
const MAX_ELEMENTS = 5000
/** Room for a list of 15 MB, the results of a few calls, and the browser's overhead. */
const MAX_HEAP_BYTES = 100e6

/**
 * Script that returns what a server could have put into the page: elements that load, run or link to something, attributes with
 * scripts, and control characters except in `value` and `href`, which go back to the server unchanged.
 */
const FOREIGN = String.raw`(() => {
  const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
  const elements = [...document.querySelectorAll('*')]
  const isForeign = url => !url.startsWith(location.origin + '/console') && !url.startsWith('blob:' + location.origin)
  const found = elements.flatMap(({ tagName, href, src, attributes }) => [
    ...(/^(iframe|frame|object|embed|base|video)$/i.test(tagName) ? [tagName] : []),
    ...[href, src].filter(url => typeof url === 'string' && url !== '' && isForeign(url)),
    ...[...attributes].filter(({ name }) => /^(on|srcdoc|formaction|action|target)/.test(name)).map(({ name }) => name),
    ...[...attributes].filter(({ name, value }) => !/^(value|href)$/.test(name) && controls.test(value)).map(({ name }) => name),
  ])
  const texts = { body: document.body.textContent, title: document.title }
  found.push(...Object.keys(texts).filter(name => controls.test(texts[name])))
  return elements.length > ${MAX_ELEMENTS} ? [...found, elements.length + ' elements'] : found
})()`

/** Records dialogs, pop-ups, downloads and navigation, which only a hostile server would cause. */
export function watchIntrusions(page: Page): string[] {
  const intrusions: string[] = []
  page.on('dialog', dialog => intrusions.push(`dialog ${dialog.message()}`))
  page.on('popup', popup => intrusions.push(`popup ${popup.url()}`))
  page.on('download', download => intrusions.push(`download ${download.url()}`))
  page.on('framenavigated', frame => {
    if (!new URL(frame.url()).pathname.startsWith('/console/'))
      intrusions.push(`navigation to ${frame.url()}`)
  })
  return intrusions
}

export async function expectUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate(FOREIGN)).toEqual([])
  expect(await layoutProblems(page)).toEqual([])
}

export async function expectBoundedMemory(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  expect(usedSize).toBeLessThan(MAX_HEAP_BYTES)
}
