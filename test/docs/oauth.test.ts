import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import * as oauth from '../../src/sdk/oauth/main.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}/docs/oauth.md`, 'utf8')
const threats = page.slice(page.indexOf('## Threats'), page.indexOf('## Limits'))

test('every test that the threat table in docs/oauth.md names exists', () => {
  const rows = threats.split('\n').filter(line => /^\| (?!threat|---)/.test(line))
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows) {
    const names = [
      ...row
        .split('|')
        .at(-2)!
        .matchAll(/`([\w/-]+)`/g),
    ].map(([, name]) => name!)
    expect(names, row).not.toEqual([])
    for (const name of names) {
      const path = `${root}/test/sdk/oauth/${name}`
      expect(existsSync(path) || existsSync(`${path}.test.ts`), path).toBe(true)
    }
  }
})

test('every function that docs/oauth.md calls is exported', () => {
  const code = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n')
  const called = [...code.matchAll(/(?<![.\w])([a-z]\w+)\(/g)].map(([, name]) => name!)
  const exported = new Set(Object.keys(oauth))
  const own = new Set(called.filter(name => !exported.has(name)))
  expect(called.length - own.size).toBeGreaterThan(10)
  expect([...own]).toEqual([])
})
