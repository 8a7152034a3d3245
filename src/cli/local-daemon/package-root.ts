import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Folder of the installed package, which contains `dist/`, `templates/` and `examples/`. */
export function packageRoot(): string {
  let directory = import.meta.dirname
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory)
  return directory
}
