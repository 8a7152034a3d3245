import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../../src/sdk/oauth', import.meta.url))

test('the component imports only itself, the auth error, the list of special addresses, Node and three packages', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.ts'),
  )
  const outside = new Set<string>()
  for (const file of files) {
    const depth = file.split('/').length - 1
    for (const [, name] of readFileSync(`${folder}/${file}`, 'utf8').matchAll(/ from '([^']+)'/g)) {
      const up = name!.split('/').filter(part => part === '..').length
      if (!name!.startsWith('.') || up > depth) outside.add(name!)
    }
  }
  const others = [...outside].filter(name => !name.startsWith('node:')).sort()
  expect(others).toEqual([
    '../../../shared/network/special-addresses.ts',
    '../../auth-error.ts',
    '../auth-error.ts',
    'better-sqlite3',
    'jose',
    'oauth4webapi',
  ])
})
