import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

/** Allowed imports between modules, as in docs/architecture.md. A module may always import itself. */
const MAY_IMPORT: Record<string, string[]> = {
  shared: [],
  sdk: ['shared'],
  cli: ['shared'],
  console: ['shared', 'examples'],
  instance: ['shared', 'sdk'],
  egress: ['shared'],
  'daemon/http': ['shared', 'daemon/services'],
  'daemon/services': [
    'shared',
    'daemon/store',
    'daemon/state',
    'daemon/builder',
    'daemon/agent',
    'daemon/runtime',
    'daemon/gateway',
    'daemon/engine',
    'daemon/sign-in',
    'daemon/metrics',
  ],
  'daemon/metrics': ['shared'],
  'daemon/checks': ['shared', 'daemon/store'],
  'daemon/backup': ['shared', 'daemon/store', 'daemon/builder'],
  'daemon/sign-in': ['shared', 'sdk'],
  'daemon/store': ['shared'],
  'daemon/state': ['shared', 'daemon/store'],
  'daemon/builder': ['shared'],
  'daemon/runtime': ['shared', 'daemon/engine'],
  'daemon/engine': ['shared'],
  'daemon/gateway': ['shared', 'daemon/runtime'],
  'daemon/agent': ['shared'],
  'daemon/home': ['shared', 'daemon', 'daemon/*'],
  'daemon/upgrade': ['shared', 'daemon', 'daemon/*'],
  daemon: ['shared', 'daemon/*'],
}

interface Import {
  from: string
  to: string
  /** `lazy`: `import()`, which may form a cycle. */
  kind: 'value' | 'type' | 'lazy'
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(file => /\.tsx?$/.test(file))
const imports = files.flatMap(importsOf)

test('every file belongs to a module of the architecture', () => {
  expect(files.filter(file => !MAY_IMPORT[moduleOf(file)])).toEqual([])
})

test('modules import only their allowed dependencies', () => {
  const forbidden = imports.filter(({ from, to }) => !mayImport(moduleOf(from), moduleOf(to)))
  expect(forbidden.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
})

test('services import only types from the engine', () => {
  const real = imports.filter(
    ({ from, to, kind }) =>
      moduleOf(from) === 'daemon/services' && moduleOf(to) === 'daemon/engine' && kind === 'value',
  )
  expect(real).toEqual([])
})

const SHARED_WITH_SDK = ['shared/network/special-addresses.ts', 'shared/instances/state-operations.ts']

test('the SDK imports nothing from other modules except special addresses and store operations', () => {
  const others = imports.filter(
    ({ from, to }) => moduleOf(from) === 'sdk' && moduleOf(to) !== 'sdk' && !SHARED_WITH_SDK.includes(to),
  )
  expect(others).toEqual([])
})

test('there are no cycles of static imports, even through type imports', () => {
  expect(findCycle()).toEqual([])
})

test('the instance, the egress process and the command line do not load zod at start-up', () => {
  for (const start of ['instance/main.ts', 'egress/main.ts', 'cli/main.ts']) {
    const loaded = reachable(start)
    const zodUsers = [...loaded].filter(file => /from 'zod'/.test(readFileSync(join(src, file), 'utf8')))
    expect(zodUsers, `loaded by ${start}`).toEqual([])
  }
})

function moduleOf(file: string): string {
  const parts = file.replace(/^\.\.\//, '').split('/')
  if (parts[0] !== 'daemon') return parts[0]!
  return parts.length > 2 ? `daemon/${parts[1]}` : 'daemon'
}

function mayImport(from: string, to: string): boolean {
  if (from === to) return true
  const allowed = MAY_IMPORT[from] ?? []
  return allowed.includes(to) || (allowed.includes('daemon/*') && to.startsWith('daemon/'))
}

/** Static and lazy imports of our own files. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(src, file), 'utf8')
  const statics = text.matchAll(/^(?:import|export)\s+(type\s)?[^'";]*?from\s+'(\.[^']+)'/gm)
  const bare = text.matchAll(/^import\s+'(\.[^']+)'/gm)
  const lazy = text.matchAll(/\bimport\('(\.[^']+)'\)/g)
  const resolve = (path: string) => normalize(relative(src, join(src, dirname(file), path)))
  return [
    ...[...statics].map(([, type, path]) => ({
      from: file,
      to: resolve(path!),
      kind: type ? ('type' as const) : ('value' as const),
    })),
    ...[...bare].map(([, path]) => ({ from: file, to: resolve(path!), kind: 'value' as const })),
    ...[...lazy].map(([, path]) => ({ from: file, to: resolve(path!), kind: 'lazy' as const })),
  ]
}

/** Files that `start` loads through static imports, except type-only ones. */
function reachable(start: string): Set<string> {
  const seen = new Set([start])
  for (const file of seen) {
    for (const edge of imports) if (edge.from === file && edge.kind === 'value') seen.add(edge.to)
  }
  return seen
}

function findCycle(): string[] {
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const visit = (file: string): string[] => {
    if (state.get(file) === 'done') return []
    if (state.get(file) === 'open') return [...path.slice(path.indexOf(file)), file]
    state.set(file, 'open')
    path.push(file)
    for (const edge of imports) {
      if (edge.from !== file || edge.kind === 'lazy') continue
      const cycle = visit(edge.to)
      if (cycle.length > 0) return cycle
    }
    path.pop()
    state.set(file, 'done')
    return []
  }
  for (const file of files) {
    const cycle = visit(file)
    if (cycle.length > 0) return cycle
  }
  return []
}
