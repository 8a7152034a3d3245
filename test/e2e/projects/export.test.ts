import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectToServer } from '../../../src/shared/mcp-client/connect.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { runToEnd, type TestHome } from '../../helpers/daemon/mcp.ts'

const examples = fileURLToPath(new URL('../../../examples', import.meta.url))

let home: TestHome
beforeAll(async () => {
  home = await startHome()
  await home.json(['build', join(examples, 'weather')])
  await home.json(['build', join(examples, 'http-api')])
})
afterAll(() => home.remove())

/** Starts an exported server without `mcp`. */
async function start(folder: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['server.mjs'], { cwd: folder, env: { PORT: '0', ...env } })
  child.stdout.setEncoding('utf8')
  const line = await new Promise<string>(resolve => child.stdout.once('data', resolve))
  child.stdout.resume()
  return { child, url: (JSON.parse(line.split('\n')[0]!) as { url: string }).url }
}

const ended = (child: ChildProcess) => new Promise<number | null>(resolve => child.once('exit', resolve))

describe('an exported server', () => {
  it('an exported server needs only node and stops on SIGTERM', async () => {
    const folder = join(home.dir, 'weather-alone')
    const exported = await home.json<{ files: string[] }>(['export', 'weather', '--bundle', '--out', folder])
    expect(exported.files.sort()).toEqual(readdirSync(folder).sort())
    const { child, url } = await start(folder)
    const connection = await connectToServer(url)
    const result = await connection.client.callTool({
      name: 'forecast',
      arguments: { city: 'Oslo', days: 1 },
    })
    await connection.close()
    expect(connection.protocolVersion).toBe('2026-07-28')
    expect(result.structuredContent).toMatchObject({ city: 'Oslo', days: [{ day: 'Monday' }] })
    expect(await (await fetch(new URL('/health', url))).json()).toMatchObject({ status: 'ok' })
    child.kill('SIGTERM')
    expect(await ended(child)).toBe(0)
  })

  it('an exported server names missing variables and rejects an invalid port or state key', async () => {
    const folder = join(home.dir, 'books-alone')
    await home.json(['export', 'book-shop', '--out', folder])
    const missing = await runToEnd(process.execPath, ['server.mjs'], { cwd: folder, env: { PORT: '0' } })
    expect(missing).toMatchObject({ code: 1, stdout: '' })
    expect(missing.stderr).toContain('BOOKS_API_URL (URL of the book-shop API), BOOKS_API_TOKEN')
    const port = await runToEnd(process.execPath, ['server.mjs'], { cwd: folder, env: { PORT: 'x' } })
    expect(port).toMatchObject({ code: 1, stderr: expect.stringContaining('PORT is "x"') })
    const env = { PORT: '0', STATE_KEY: 'guessable', BOOKS_API_URL: 'http://127.0.0.1', BOOKS_API_TOKEN: 't' }
    const key = await runToEnd(process.execPath, ['server.mjs'], { cwd: folder, env })
    expect(key).toMatchObject({ code: 1, stderr: expect.stringContaining('STATE_KEY holds 6 bytes') })
  })

  it('mcp export needs an empty folder unless forced, and never writes to a project folder', async () => {
    const folder = join(home.dir, 'full')
    mkdirSync(folder)
    writeFileSync(join(folder, 'mine.txt'), 'mine')
    const refused = await home.mcp(['export', 'weather', '--out', folder])
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('is not empty') })
    expect(readdirSync(folder)).toEqual(['mine.txt'])
    await home.json(['export', 'weather', '--out', folder, '--force'])
    expect(readdirSync(folder)).toContain('server.mjs')
    writeFileSync(join(folder, 'mcp.config.json'), '{}')
    const project = await home.mcp(['export', 'weather', '--out', folder, '--force'])
    expect(project).toMatchObject({ code: 5, stderr: expect.not.stringContaining('--force') })
  })

  it('mcp export suggests the nearest name for an unknown server', async () => {
    expect(await home.mcp(['export', 'wether'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Did you mean "weather"?'),
    })
  })
})
