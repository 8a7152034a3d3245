import { rememberedLayer } from '../../../src/daemon/builder/image/base.ts'
import { baseEntries, baseKey } from '../../../src/daemon/builder/image/base-layer.ts'
import { Layout } from '../../../src/daemon/builder/image/layout.ts'
import { copyPrepared } from './prepared-layout.ts'

/** Adds the packed Node of this machine to an image folder, for images that run. `images`: image folder of a home. */
export function seedNodeBase(images: string): Promise<void> {
  const pack = (directory: string) => rememberedLayer(new Layout(directory), baseKey(), baseEntries)
  return copyPrepared('node', baseKey(), images, pack)
}
