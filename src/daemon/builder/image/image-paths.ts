import { posix } from 'node:path'

/** Paths of an image without leading `/`, with the target of a symbolic link, or `''` for other entries. */
export type ImagePaths = Record<string, string>

/** Follows the symbolic links of a path, so that a new file there does not replace a link. */
export function resolveInImage(paths: ImagePaths, path: string, hops = 40): string {
  const parts = path.split('/').filter(Boolean)
  for (let index = 1; index <= parts.length; index++) {
    const target = Object.hasOwn(paths, parts.slice(0, index).join('/'))
      ? paths[parts.slice(0, index).join('/')]
      : ''
    if (!target || hops === 0) continue
    const parent = parts.slice(0, index - 1).join('/')
    const followed = target.startsWith('/') ? target : posix.join('/', parent, target)
    return resolveInImage(paths, posix.join(followed, ...parts.slice(index)), hops - 1)
  }
  return posix.join('/', ...parts).slice(1)
}
