import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { resolveMounts } from '../../../../src/daemon/services/builds/mounts.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-mounts-'))
const notes = join(folder, 'notes')
const home = join(folder, 'home')
for (const one of [notes, home, join(home, 'logs')]) mkdirSync(one)
writeFileSync(join(notes, 'a.txt'), '')
symlinkSync(notes, join(folder, 'link'))
symlinkSync('/etc', join(folder, 'settings'))
symlinkSync(home, join(folder, 'other-home'))
afterAll(() => rmSync(folder, { recursive: true }))

const resolveOne = (source: string, target = '/data') =>
  resolveMounts([{ source, target, readonly: true }], [home])[0]

test('files, folders and volumes can be mounted, and links are resolved', () => {
  expect(resolveOne(notes)).toEqual({ source: notes, target: '/data', readonly: true })
  expect(resolveOne(join(notes, 'a.txt'))?.source).toBe(join(notes, 'a.txt'))
  expect(resolveOne(join(folder, 'link'))?.source).toBe(notes)
  expect(resolveOne('some-volume')?.source).toBe('some-volume')
})

test("system folders, the daemon's folders and folders that contain them cannot be mounted", () => {
  for (const source of ['/', '/etc', '/etc/ssl', '/run', '/dev/null', '/proc/self', join(folder, 'settings')])
    expect(() => resolveOne(source), source).toThrow(/gives access to|neither a file nor a folder/)
  for (const source of [home, join(home, 'logs'), folder, join(folder, 'other-home')])
    expect(() => resolveOne(source), source).toThrow('a folder of the daemon')
})

test('a mount with a missing source, a relative source or a colon in the target is refused', () => {
  expect(() => resolveOne(join(folder, 'missing'))).toThrow('does not exist')
  expect(() => resolveOne('../notes')).toThrow('neither an absolute path nor the name of a volume')
  expect(() => resolveOne(notes, '/data:rw')).toThrow('contains a colon')
})

test('a socket cannot be mounted', async () => {
  const path = join(folder, 'engine.sock')
  const server = createServer()
  await new Promise<void>(resolve => server.listen(path, resolve))
  expect(() => resolveOne(path)).toThrow('neither a file nor a folder')
  server.close()
})
