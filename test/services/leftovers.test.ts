import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SourceArchives } from '../../src/daemon/builder/archive/source-archives.ts'
import { ArtifactStore } from '../../src/daemon/builder/artifact-store.ts'
import { FileStorage } from '../../src/daemon/builder/storage/file-storage.ts'
import { removeLeftovers } from '../../src/daemon/services/leftovers.ts'
import type { Rooms } from '../../src/daemon/services/rooms.ts'
import { openStore } from '../../src/daemon/store/store.ts'

test('removing what a crash left takes no file that is being written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-leftovers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = openStore(':memory:')
  onTestFinished(() => store.close())
  const [sources, artifacts] = [join(folder, 'sources'), join(folder, 'artifacts')]
  const storage = new FileStorage(folder)
  const none = () => []
  const rooms = {
    store,
    archives: new SourceArchives(sources, storage),
    artifacts: new ArtifactStore(artifacts, storage),
    programSources: { list: none, remove: none },
    programs: { servers: none },
    packages: { prune: none },
    toolchain: { memory: { prune: none }, dependencies: { prune: none } },
    logs: { ids: none },
    background: { report: (error: unknown) => expect.unreachable(String(error)) },
  } as unknown as Rooms
  const unrecorded = 'a'.repeat(64)
  writeFileSync(join(sources, 'upload.tmp'), 'more is to come')
  writeFileSync(join(sources, `${unrecorded}.zip`), '')
  writeFileSync(join(artifacts, 'fetched.tmp'), 'more is to come')
  writeFileSync(join(artifacts, `${unrecorded}.json`), '')
  await removeLeftovers(rooms)
  expect(readdirSync(sources)).toEqual(['upload.tmp'])
  expect(readdirSync(artifacts)).toEqual(['fetched.tmp'])
})
