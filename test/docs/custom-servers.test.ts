import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createProjectFolder } from '../helpers/daemon/project-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/custom-servers.md'), 'utf8')
const excerpts = [...page.matchAll(/```ts\n([\s\S]*?)\n```/g)].map(match => ({
  line: page.slice(0, match.index).split('\n').length,
  code: match[1]!,
}))

/** Declarations that the page assumes. */
const GIVEN = `
declare function highsOf(city: string, days: number, signal: AbortSignal): Promise<number[]>
declare function countryOf(city: string): string
declare function ordersOf(token: string): string[]
declare const requestedSchema: Record<string, unknown>
declare const context: import('mcp-hosting/server').Context
declare const z: typeof import('zod')
`

const OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'webworker'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  paths: {
    'mcp-hosting/server': [join(root, 'dist/sdk/server.d.ts')],
    zod: [join(root, 'node_modules/zod')],
  },
}

test('every code excerpt on the page about custom servers type-checks', async () => {
  expect(excerpts.length).toBeGreaterThan(4)
  using project = createProjectFolder({
    'tsconfig.json': JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts', 'excerpts', 'types'] }),
    'given.d.ts': GIVEN,
    ...filesOfTemplate('types/node-test.d.ts', 'tools/roll_dice.ts', 'src/dice.ts'),
    ...Object.fromEntries(
      excerpts.map(({ line, code }) => [`excerpts/line-${line}.ts`, `${code}\nexport {}\n`]),
    ),
  })
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const problems = await new Promise<string>(resolve =>
    execFile(process.execPath, [compiler, '--project', project.path], (_error, stdout) => resolve(stdout)),
  )
  expect(problems).toBe('')
})

function filesOfTemplate(...paths: string[]): Record<string, string> {
  return Object.fromEntries(
    paths.map(path => [path, readFileSync(join(root, 'templates/custom', path), 'utf8')]),
  )
}
