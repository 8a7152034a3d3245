import { NODE, rememberedLayer } from '../../../src/daemon/builder/image/base.ts'
import { baseKey } from '../../../src/daemon/builder/image/base-layer.ts'
import { Layout } from '../../../src/daemon/builder/image/layout.ts'

/**
 * Replaces Node in images with a small file, for images that never run. Packing the real Node takes seconds of processor time.
 * `images`: image folder of a home.
 */
export async function seedSmallBase(images: string): Promise<void> {
  await rememberedLayer(new Layout(images), baseKey(), () => [
    { path: NODE, content: 'replaces Node', mode: 0o755 },
  ])
}
