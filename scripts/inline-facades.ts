import { dirname, join, relative } from 'node:path'

export interface TextFile {
  path: string
  text: string
}

interface Facade {
  chunk: string
  /** Name of each export in the chunk. */
  names: Map<string, string>
}

/**
 * For a lazily loaded module whose code is in a chunk, esbuild writes a file that only renames exports of the chunk. This
 * function removes these files and lets their importers load the chunk instead, because each file adds up to a millisecond to the
 * start of a command.
 */
export function inlineFacades(outputs: readonly TextFile[]): TextFile[] {
  const texts = new Map(outputs.map(({ path, text }) => [path, text]))
  const facades = new Map<string, Facade>()
  for (const [path, text] of texts) {
    const facade = parseFacade(path, text)
    if (facade && loadsAll(texts, facade.chunk, importsOf(path, text))) facades.set(path, facade)
  }
  return [...texts]
    .filter(([path]) => !facades.has(path))
    .map(([path, text]) => ({ path, text: loadChunks(path, text, facades) }))
}

const IMPORT = /import(?:\{([^}]*)\}from)?"(\.[^"]+)";/g
const FACADE = /^(?:import(?:\{[^}]*\}from)?"\.[^"]+";)+export\{([^}]*)\};\n?$/

function parseFacade(path: string, text: string): Facade | undefined {
  const [, exported] = FACADE.exec(text) ?? []
  const [named, ...others] = [...text.matchAll(IMPORT)].filter(([, names]) => names)
  if (exported === undefined || !named || others.length > 0) return undefined
  const chunkNameOf = new Map(renames(named[1]!).map(([name, local]) => [local, name]))
  const names = renames(exported).map(([local, name]) => [name, chunkNameOf.get(local)!] as const)
  return { chunk: resolveImport(path, named[2]!), names: new Map(names) }
}

/** Pairs of `a as b`. */
function renames(list: string): [string, string][] {
  return list.split(',').map(part => {
    const [from, to = from] = part.split(' as ')
    return [from!, to!]
  })
}

function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, , target]) => resolveImport(path, target!))
}

/** Whether loading the chunk runs all these files. */
function loadsAll(texts: ReadonlyMap<string, string>, chunk: string, files: readonly string[]): boolean {
  const loaded = new Set([chunk])
  for (const path of loaded) for (const one of importsOf(path, texts.get(path) ?? '')) loaded.add(one)
  return files.every(file => loaded.has(file))
}

function loadChunks(path: string, text: string, facades: ReadonlyMap<string, Facade>): string {
  return text.replaceAll(/import\("(\.[^"]+)"\)/g, (original, target) => {
    const facade = facades.get(resolveImport(path, target))
    if (!facade) return original
    const chunk = `./${relative(dirname(path), facade.chunk)}`
    const properties = [...facade.names].map(([name, inChunk]) => `${name}:m.${inChunk}`)
    return `import(${JSON.stringify(chunk)}).then(m=>({${properties.join(',')}}))`
  })
}

function resolveImport(importer: string, target: string): string {
  return join(dirname(importer), target)
}
