import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../helpers/daemon/daemon.ts'
import { preparedFolder } from '../helpers/prepared-folder.ts'

/** Clients that are generated from the served description, with the generators' default options. */

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const node = (args: string[]) => promisify(execFile)(process.execPath, args)

let daemon: TestDaemon
let folder: string

beforeAll(async () => {
  daemon = await startTestDaemon()
  folder = mkdtempSync(join(tmpdir(), 'mcp-clients-'))
  cpSync(here('calls'), folder, { recursive: true })
  symlinkSync(here('../../node_modules'), join(folder, 'node_modules'))
  const { text } = await daemon.api('GET', '/openapi.json', { key: null })
  const generated = await preparedFolder('clients', generatorKey(text), async work => {
    writeFileSync(join(work, 'openapi.json'), text)
    await node([here('generate.ts'), work])
  })
  cpSync(generated, folder, { recursive: true })
})

/** Cache key of the generated clients. Changes with the description and with everything that generates clients from it. */
function generatorKey(description: string): string {
  const lock = readFileSync(here('../../package-lock.json'), 'utf8')
  return JSON.stringify([description, lock, readFileSync(here('generate.ts'), 'utf8'), process.version])
}

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await daemon.close()
})

test('generated clients compile with a call to every operation', async () => {
  const compiler = here('../../node_modules/typescript/bin/tsc')
  const { stdout } = await node([compiler, '--project', folder]).catch((failed: { stdout: string }) => failed)
  expect(stdout).toBe('')
})

test('a client created with openapi-fetch builds a server', async () => {
  const { default: createClient } = await import('openapi-fetch')
  const calls = new URL('calls/openapi-fetch.ts', import.meta.url).href
  const { readAnswers } = (await import(calls)) as {
    readAnswers(api: unknown): Promise<string[]>
  }
  const headers = { authorization: `Bearer ${daemon.ownerKey}` }
  const answers = await readAnswers(createClient({ baseUrl: daemon.url, headers }))
  expect(answers).toEqual([
    expect.stringMatching(/^mcp_/),
    expect.stringMatching(/^req_/),
    'ready',
    expect.any(String),
    '',
  ])
})
