import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface ProjectFolder extends Disposable {
  path: string
  write(files: Record<string, string>): void
  /** Adds a link to a path outside the folder. */
  link(name: string, target: string): void
}

/** A folder with these files, removed on disposal. */
export function createProjectFolder(files: Record<string, string> = {}): ProjectFolder {
  const path = mkdtempSync(join(tmpdir(), 'mcp-project-'))
  const write = (more: Record<string, string>) => {
    for (const [name, content] of Object.entries(more)) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), content)
    }
  }
  write(files)
  const link = (name: string, target: string) => symlinkSync(target, join(path, name))
  return { path, write, link, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
