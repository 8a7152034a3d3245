import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Folder of the installed package: where `dist/`, `templates/` and `examples/` lie, bundled or not. */
export function packageRoot(): string {
  let directory = import.meta.dirname
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory)
  return directory
}
