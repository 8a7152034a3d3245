import { NODE_LINES, NODE_RANGE, NODE_VERSIONS } from '../src/shared/supported-node.ts'

const LINES = NODE_LINES.map(({ major, minor }) => [major, minor])

/**
 * Source text that exits with one line on an unsupported Node version. It must run on such a version, so it only uses old syntax
 * and comes first.
 */
export function nodeCheck(program: string): string {
  const sentence = `${program} needs ${NODE_VERSIONS}. This is `
  return `(function () {
  var version = process.versions.node.split('.').map(Number)
  var isSupported = ${JSON.stringify(LINES)}.some(function (line) { return line[0] === version[0] && line[1] <= version[1] })
  if (isSupported) return
  console.error(${JSON.stringify(sentence)} + process.version + '. Install one of these versions from https://nodejs.org.')
  process.exit(2)
})();
`
}

/** Throws when `engines` in package.json differs from the supported versions. */
export function requireSameEngines({ engines }: { engines: { node: string } }): void {
  if (engines.node === NODE_RANGE) return
  throw new Error(`engines.node of package.json is "${engines.node}". Set it to "${NODE_RANGE}".`)
}
