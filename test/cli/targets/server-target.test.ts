import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { CommandContext } from '../../../src/cli/command-line/command-context.ts'
import { markDev } from '../../../src/cli/dev/dev-mark.ts'
import { chooseTarget, type TargetChoice } from '../../../src/cli/targets/server-target.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-target-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** States of the server `shelf` by environment, the newest first. */
let live: Record<string, string>
beforeEach(() => {
  live = { development: 'deployed', production: 'deployed' }
})

function createContext(noteTerminal: boolean) {
  const notes: string[] = []
  const items = Object.entries(live).map(([environment, status]) => ({
    deployment_id: `dep_${environment}`,
    name: 'shelf',
    environment,
    status,
    url: `http://127.0.0.1/${environment}`,
  }))
  const api = { isContractOnly: false, get: async () => ({ items, next_cursor: null }) }
  const context = {
    api: async () => api,
    output: { noteTerminal, note: (text: string) => void notes.push(text) },
    paths: { devMarks: join(folder, 'marks') },
    settings: () => ({}),
    cwd: '/',
  } as unknown as CommandContext
  return { context, notes }
}

async function choose(
  choice: TargetChoice,
  {
    server = 'shelf',
    env,
    terminal = true,
  }: { server?: string; env?: 'development'; terminal?: boolean } = {},
) {
  const { context, notes } = createContext(terminal)
  const { url } = await chooseTarget(context, { server, env }, choice)
  return { url, notes }
}

test('a command that uses one of several live environments names it and the others at a terminal', async () => {
  expect(await choose({ acts: true })).toEqual({
    url: 'http://127.0.0.1/production',
    notes: ['Using shelf in production. Others: --env development.'],
  })
  live = { staging: 'deployed', ...live }
  expect((await choose({ acts: true })).notes).toEqual([
    'Using shelf in production. Others: --env staging, --env development.',
  ])
})

test('a command does not name the environment in a pipe, if it only lists, if --env selects it, or if no other is live', async () => {
  expect((await choose({ acts: true }, { terminal: false })).notes).toEqual([])
  expect((await choose({})).notes).toEqual([])
  expect((await choose({ acts: true }, { env: 'development' })).notes).toEqual([])
  live = { production: 'stopped', development: 'deployed' }
  expect(await choose({ acts: true })).toEqual({ url: 'http://127.0.0.1/development', notes: [] })
})

test('the note about the preview of mcp dev names the environment that is used', async () => {
  const { context } = createContext(true)
  const unmark = markDev(context, join(folder, 'shelf'), 'shelf')
  const note =
    'Using the deployment of shelf in production. To use the preview that mcp dev serves, add --env preview.'
  expect((await choose({})).notes).toEqual([note])
  expect((await choose({ acts: true }, { terminal: false })).notes).toEqual([note])
  expect((await choose({ acts: true })).notes).toEqual([
    'Using shelf in production. Others: --env development, --env preview.',
  ])
  live = { production: 'deployed' }
  expect((await choose({ acts: true })).notes).toEqual([note])
  unmark()
})
