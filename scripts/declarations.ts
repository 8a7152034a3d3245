import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface Declaration {
  /** Path relative to the SDK's folder: `oauth/main.d.ts`. */
  name: string
  contents: Buffer
}

const ENTRIES = ['server.d.ts', 'oauth/main.d.ts']
const IMPORTED = /(?:\bfrom|\bimport\() ?["']([^"']+)["']/g

/**
 * Types of `mcp-hosting/server` and `mcp-hosting/oauth` for editors. Throws when they refer to a package, which every user would
 * have to install.
 */
export async function emitDeclarations(root: string): Promise<Declaration[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-types-'))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const project = join(root, 'src/sdk/tsconfig.json')
  try {
    await promisify(execFile)(process.execPath, [compiler, '--project', project, '--outDir', folder])
    return readReachable(join(folder, 'sdk'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function readReachable(folder: string): Declaration[] {
  const declarations = new Map<string, Buffer>()
  const names = new Set(ENTRIES)
  for (const name of names) {
    const contents = readFileSync(join(folder, name))
    declarations.set(name, contents)
    for (const imported of importsOf(name, contents.toString())) names.add(imported)
  }
  return [...declarations].map(([name, contents]) => ({ name, contents }))
}

function importsOf(name: string, text: string): string[] {
  const specifiers = [...text.matchAll(IMPORTED)].map(([, specifier]) => specifier!)
  const packages = specifiers.filter(specifier => !/^(?:\.|node:)/.test(specifier))
  if (packages.length > 0) throw new Error(`The published types in ${name} refer to ${packages.join(', ')}.`)
  return specifiers
    .filter(specifier => specifier.startsWith('.'))
    .map(specifier => join(dirname(name), specifier).replace(/\.ts$/, '.d.ts'))
}
