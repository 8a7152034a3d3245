import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
const bundles = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.js'))
  .map(file => join(dist, file))

const STATIC_NAMES = /import\s*\{([^{}]*)\}\s*from\s*"(\.[^"]+)"/g
const LAZY_NAMES = /\{([^{}]*)\}\s*=\s*await import\("(\.[^"]+)"\)(?!\.then)/g
/** Written by `scripts/inline-facades.ts`: `import("./chunk.js").then(m=>({main:m.x}))`. */
const RENAMED_NAMES = /import\("(\.[^"]+)"\)\.then\(m=>\(\{([^{}]*)\}\)\)/g

// A bundled CommonJS package exports only its default, while Node itself would find named exports.
test('a lazily loaded bundle exports every name that is used from it', () => {
  const missing = bundles.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(LAZY_NAMES)].flatMap(([, names = '', path = '']) => {
      const exported = exportsOf(join(dirname(file), path))
      const wanted = names.split(',').map(name => name.split(':')[0]?.trim() ?? '')
      return wanted
        .filter(name => name && !exported.has(name))
        .map(name => `${relative(dist, file)} wants ${name} of ${path}`)
    }),
  )
  expect(missing).toEqual([])
})

test('a chunk that replaces a facade exports every name that is used from it', () => {
  const renamed = bundles.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(RENAMED_NAMES)].map(([, path = '', names = '']) => {
      const exported = exportsOf(join(dirname(file), path))
      const missing = names.split(',').filter(name => !exported.has(name.split(':m.')[1]!))
      return { file: relative(dist, file), path, missing }
    }),
  )
  expect(renamed.length).toBeGreaterThan(20)
  expect(renamed.filter(({ missing }) => missing.length > 0)).toEqual([])
})

test('a bundle exports every name that another bundle imports from it', () => {
  const missing = bundles.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(STATIC_NAMES)].flatMap(([, names = '', path = '']) => {
      const exported = exportsOf(join(dirname(file), path))
      const wanted = names.split(',').map(name => name.trim().split(/\sas\s/)[0] ?? '')
      return wanted
        .filter(name => name && !exported.has(name))
        .map(name => `${relative(dist, file)} wants ${name} of ${path}`)
    }),
  )
  expect(missing).toEqual([])
})

test('an instance loads one file besides its entry file when it starts', () => {
  expect([...loadedBy(join(dist, 'instance.js'))]).toHaveLength(2)
})

/** The file and all files that it imports, without lazily loaded ones. */
function loadedBy(entry: string): Set<string> {
  const loaded = new Set([entry])
  for (const file of loaded)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*"(\.[^"]+)"/g))
      loaded.add(join(dirname(file), path))
  return loaded
}

function exportsOf(file: string): Set<string> {
  const text = readFileSync(file, 'utf8')
  const listed = [...text.matchAll(/export\s*\{([^{}]*)\}/g)].flatMap(([, names = '']) => names.split(','))
  const names = listed.map(
    name =>
      name
        .split(/\sas\s/)
        .at(-1)
        ?.trim() ?? '',
  )
  return new Set(/export default/.test(text) ? [...names, 'default'] : names)
}

test('an upgrade of the daemon loads no file lazily, because an in-place update removes old files', () => {
  const lazy = bundles.filter(file => /^upgrade-/.test(relative(join(dist, 'daemon'), file)))
  expect(lazy).toEqual([])
})
