import { expect, test } from 'vitest'
import { Blobs } from '../../../../src/daemon/builder/image/blobs.ts'
import { writeLayer } from '../../../../src/daemon/builder/image/layer.ts'
import { listFiles } from '../../../../src/daemon/builder/image/layer-files.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'

test('the size limit applies to all unpacked layers together', async () => {
  using folder = createProjectFolder()
  const blobs = new Blobs(folder.path)
  const layers = [
    await writeLayer(blobs, [{ path: 'a', content: Buffer.alloc(10_000) }]),
    await writeLayer(blobs, [{ path: 'b', content: Buffer.alloc(10_000) }]),
  ]
  expect(await listFiles(blobs, layers, 'base', 30_000)).toEqual({ a: '', b: '' })
  await expect(listFiles(blobs, layers, 'base', 15_000)).rejects.toMatchObject({
    code: 'UPSTREAM_FAILED',
    message: expect.stringContaining('it is larger than 15000 bytes unpacked'),
  })
})
