import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { CONSOLE_OPTIONS } from '../../../scripts/console.ts'
import { CONSOLE_POLICY } from '../../../src/daemon/http/console-page.ts'
import { recordControls } from './walk/used-controls.ts'

const folder = fileURLToPath(new URL('../../../src/console/', import.meta.url))
const ORIGIN = 'http://console.test'

const ENTRY = `
  import './styles/tokens.css'
  import './styles/base.css'
  import { h, render } from 'preact'
  import { createForm, SchemaForm } from './schema-form/main.ts'
  import { ResultView } from './schema-form/results/main.ts'
  const show = node => { render(null, document.body); render(node, document.body) }
  globalThis.showForm = (schema, value) => {
    const form = createForm(schema, value)
    globalThis.form = form
    globalThis.sent = []
    const onSubmit = value => globalThis.sent.push(JSON.stringify(value))
    show(h('main', null, h('h1', null, 'Tool'), h(SchemaForm, { form, label: 'tool', onSubmit }, h('button', { type: 'submit', class: 'sf-button sf-primary' }, 'Run'))))
  }
  globalThis.showResult = result => show(h('main', null, h('h1', null, 'Tool'), h(ResultView, { result })))
`

/** Script and style sheet of a page that shows a form or a result. */
async function bundle(): Promise<{ script: string; style: string }> {
  const stdin = { contents: ENTRY, resolveDir: folder, loader: 'ts' } as const
  const { outputFiles } = await build({ ...CONSOLE_OPTIONS, stdin, outdir: folder })
  const textOf = (extension: string) => outputFiles.find(file => file.path.endsWith(extension))!.text
  return { script: textOf('.js'), style: textOf('.css') }
}

export interface FormPage {
  page: Page
  /** Page errors, console messages, including policy violations, and requests for anything but the page's own files. */
  complaints: string[]
}

/** An empty page with the console's security policy. Nothing is read from the network. */
export async function openFormPage(browser: Browser): Promise<FormPage> {
  const { script, style } = await bundle()
  const page = await browser.newPage({ viewport: { width: 900, height: 700 } })
  await recordControls(page.context())
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(String(error)))
  page.setDefaultTimeout(20_000)
  const answers: Record<string, [string, string]> = {
    '/': [
      'text/html',
      '<!doctype html><html lang="en"><title>Form</title><link rel="stylesheet" href="/form.css"><body><script type="module" src="/form.js"></script>',
    ],
    '/form.js': ['text/javascript', script],
    '/form.css': ['text/css', style],
    '/favicon.ico': ['image/x-icon', ''],
  }
  await page.route('**', route => {
    const url = new URL(route.request().url())
    const answer = url.origin === ORIGIN ? answers[url.pathname] : undefined
    if (!answer) complaints.push(`request to ${url.href.slice(0, 200)}`)
    const [contentType = 'text/plain', body = ''] = answer ?? []
    return route.fulfill({
      status: answer ? 200 : 404,
      contentType,
      body,
      headers: { 'content-security-policy': CONSOLE_POLICY },
    })
  })
  await page.goto(`${ORIGIN}/`)
  return { page, complaints }
}
