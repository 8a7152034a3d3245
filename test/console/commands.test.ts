import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Command } from '../../src/console/commands/commands.ts'
import { fuzzyScore } from '../../src/console/commands/fuzzy.ts'
import { SHORTCUTS } from '../../src/console/commands/shortcuts.ts'

describe('commands of the console', () => {
  let find: (commands: readonly Command[], query: string) => Command[]
  beforeAll(async () => {
    vi.stubGlobal('location', new URL('http://console.localhost/console/'))
    find = (await import('../../src/console/commands/commands.ts')).findCommands
    return () => vi.unstubAllGlobals()
  })

  const search = (query: string, ...titles: string[]) =>
    find(
      titles.map(title => ({ title, kind: 'View', run() {} })),
      query,
    ).map(({ title }) => title)

  test('all words of a query must match, in any order and case', () => {
    const titles = ['weather › Logs', 'weather › Tests', 'notes › Logs']
    expect(search('LOG wea', ...titles)).toEqual(['weather › Logs'])
    expect(search('wea log nothing', ...titles)).toEqual([])
    expect(search('  ', ...titles)).toEqual(titles)
  })

  test('matches at the start of a word come first, then matches inside words, then scattered letters', () => {
    const titles = ['Show the options', 'Restop weather', 'Stop weather']
    expect(search('stop', ...titles)).toEqual(['Stop weather', 'Restop weather', 'Show the options'])
  })

  test('letters must appear in the order of the query', () => {
    expect(fuzzyScore('wlg', 'weather › Logs')).toBeDefined()
    expect(fuzzyScore('glw', 'weather › Logs')).toBeUndefined()
  })

  test('commands that match equally well keep their order', () => {
    const titles = ['Stop weather in production', 'Stop weather in staging']
    expect(search('st wea', ...titles)).toEqual(titles)
  })
})

test('the documentation lists the keyboard shortcuts that the page shows', () => {
  const documentation = readFileSync(new URL('../../docs/console.md', import.meta.url), 'utf8')
  const section = documentation.split('\n## Keys\n')[1]!.split('\n## ')[0]!
  const rows = [...section.matchAll(/^\| (.+) \| (.+) \|$/gm)].slice(1)
  const documented = rows.map(([, keys, effect]) => [keys!.replaceAll('`', ''), effect])
  expect(documented).toEqual(SHORTCUTS.map(({ keys, effect }) => [keys.join(', '), effect]))
})
