import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONSOLE_HOST } from '../../../src/shared/names.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'
import { writeServer } from './write-server.ts'

let home: TestHome
beforeAll(async () => {
  home = await startHome()
})
afterAll(() => home.remove())

test('up and status print console URLs, without a sign-in code when the output is not a terminal', async () => {
  const directory = writeServer(home, 'shown')
  const up = await home.mcp(['up', directory])
  const all = await home.mcp(['status'])
  const one = await home.mcp(['status', 'shown'])
  const root = `http://${CONSOLE_HOST}:${new URL(home.discovery()!.url).port}/console/`
  const page = `${root}servers/shown?env=development`
  expect(up.stdout).toContain(`\nConsole: ${page}\n`)
  expect(all.stdout).toContain(`\nConsole: ${root}\n`)
  expect(one.stdout).toMatch(/^ *console +http/m)
  expect(one.stdout).toContain(`${page}\n`)
  expect(JSON.stringify(await home.json(['status', 'shown']))).not.toContain(CONSOLE_HOST)
})
