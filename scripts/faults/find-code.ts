import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import type { Fault } from './faults.ts'

export interface Found {
  /** Below the project's folder. */
  file: string
  /** The file with the fault. */
  faulty: string
  tests: string[]
}

/** Finds the code and the tests of a fault. Throws unless each exists exactly once. */
export async function findCode(root: string, { title, code, faulty, tests }: Fault): Promise<Found> {
  const every = new RegExp(code, `${code.flags}g`)
  const matches = globSync('src/**/*.ts', { cwd: root }).flatMap(file => {
    const text = readFileSync(join(root, file), 'utf8')
    return [...text.matchAll(every)].map(() => ({ file, faulty: text.replace(code, () => faulty) }))
  })
  const [found] = matches
  if (!found || matches.length > 1)
    throw new Error(`${title}: ${code} matches ${matches.length} times in src/, expected 1`)
  await transform(found.faulty, { loader: 'ts', logLevel: 'silent' })
  return { ...found, tests: tests.split(' ').map(end => findTest(root, title, end)) }
}

function findTest(root: string, title: string, end: string): string {
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter(file => file.endsWith(`/${end}.test.ts`))
  if (files.length !== 1) throw new Error(`${title}: ${files.length} tests end with ${end}, expected 1`)
  return files[0]!
}
