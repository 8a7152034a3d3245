import { NODE, rememberedLayer } from '../../src/daemon/builder/image/base.ts'
import { baseKey } from '../../src/daemon/builder/image/base-layer.ts'
import { Layout } from '../../src/daemon/builder/image/layout.ts'

/**
 * Puts a small file where images would have this machine's Node, for those that are made and sent but never run: packing
 * the real one takes seconds of a processor. `images`: folder of a home's images.
 */
export async function seedSmallBase(images: string): Promise<void> {
  await rememberedLayer(new Layout(images), baseKey(), () => [
    { path: NODE, content: 'stands for Node', mode: 0o755 },
  ])
}
