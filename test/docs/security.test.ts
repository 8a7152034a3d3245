import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('every test and script that docs/security.md names for a defence exists', () => {
  const page = readFileSync(`${root}docs/security.md`, 'utf8')
  const named = [...page.matchAll(/`((?:test|scripts|\.ci)\/[^`]+)`/g)].map(([, path]) => path!)
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(path => !existsSync(root + path))).toEqual([])
})
