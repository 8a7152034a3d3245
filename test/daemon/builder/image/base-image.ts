import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Image, writeImage } from '../../../../src/daemon/builder/image/image.ts'
import { writeLayer } from '../../../../src/daemon/builder/image/layer.ts'
import { Layout } from '../../../../src/daemon/builder/image/layout.ts'
import { pushImage } from '../../../../src/daemon/builder/image/push.ts'
import { Registry } from '../../../../src/daemon/builder/image/registry.ts'
import { parseRepository } from '../../../../src/daemon/builder/image/repository-address.ts'
import type { SmallRegistry } from './small-registry.ts'

/** A base image with Python, in a layout in a temporary folder. */
export class BaseImage implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'mcp-base-'))
  readonly source = new Layout(join(this.directory, 'source'))
  /** Layout in which this machine's Node is packed once. */
  readonly shared = new Layout(join(this.directory, 'shared'))
  image!: Image
  #count = 0

  async write(): Promise<void> {
    const { blobs } = this.source
    const layers = [
      await writeLayer(blobs, [
        { path: 'usr/lib/libc.so.6', content: 'theirs' },
        { path: 'lib', link: 'usr/lib' },
        { path: 'usr/bin/python3.13', content: 'python', mode: 0o755 },
        { path: 'usr/bin/python3', link: 'python3.13' },
        { path: 'etc/old', content: 'old' },
      ]),
      await writeLayer(blobs, [{ path: 'etc/.wh.old', content: '' }]),
    ]
    this.image = await writeImage(blobs, layers, {
      entrypoint: ['/usr/bin/python3'],
      env: { PATH: '/usr/bin', LANG: 'C.UTF-8' },
      workingDir: '/',
      user: '0:0',
      ports: [],
      labels: {},
    })
    this.source.tag('python:3.13', this.image)
  }

  newLayout(): Layout {
    return new Layout(join(this.directory, `layout-${++this.#count}`))
  }

  push({ host }: SmallRegistry) {
    return pushImage(
      new Registry(parseRepository(`${host}/team/python`), {}),
      this.source.blobs,
      this.image,
      '3.13',
    )
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true })
  }
}
