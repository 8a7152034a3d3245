import type { Images, ImagesOptions } from './images.ts'

/** Makes nothing, and loads nothing of what makes images, before it is called. */
export function lazyImages(options: ImagesOptions): () => Promise<Images> {
  let images: Promise<Images> | undefined
  return () => {
    images ??= import('./images.ts').then(({ Images }) => new Images(options))
    return images
  }
}
