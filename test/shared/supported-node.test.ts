import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { nodeCheck } from '../../scripts/node-check.ts'
import { isSupportedNode, NODE_RANGE, NODE_VERSIONS } from '../../src/shared/supported-node.ts'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

/** Runs the version check of built programs, as on this version of Node. Returns the exit code and the printed lines. */
function check(version: string) {
  const lines: string[] = []
  let code = 0
  const process = {
    version: `v${version}`,
    versions: { node: version },
    exit: (status: number) => (code = status),
  }
  runInNewContext(nodeCheck('mcp'), { process, console: { error: (line: string) => lines.push(line) } })
  return { code, lines }
}

describe('supported versions of Node', () => {
  it('supported versions of Node are the same in package.json, README and quick start', () => {
    expect(NODE_VERSIONS).toBe('Node.js 22 (22.19 or newer), 24 or 26')
    expect(JSON.parse(read('package.json')).engines).toEqual({ node: NODE_RANGE })
    for (const page of ['README.md', 'docs/quick-start.md'])
      expect(read(page)).toContain(`You need ${NODE_VERSIONS} with npm`)
  })

  it.each(['22.19.0', '22.22.1', '24.0.0', '26.10.0'])('supported versions of Node include %s', version => {
    expect(isSupportedNode(version)).toBe(true)
    expect(check(version)).toEqual({ code: 0, lines: [] })
  })

  it.each(['18.20.8', '20.20.2', '22.18.0', '23.11.0', '25.1.0', '27.0.0'])(
    'supported versions of Node exclude %s, on which programs exit with a one-line message',
    version => {
      expect(isSupportedNode(`v${version}`)).toBe(false)
      const line = `mcp needs ${NODE_VERSIONS}. This is v${version}. Install one of these versions from https://nodejs.org.`
      expect(check(version)).toEqual({ code: 2, lines: [line] })
    },
  )
})
