import { NODE_LINES, NODE_RANGE, NODE_VERSIONS } from '../src/shared/supported-node.ts'

const LINES = NODE_LINES.map(({ major, minor }) => [major, minor])

/**
 * Source text that ends a program with one line on a Node that is not supported. It has to run on that Node, so it uses old
 * syntax only and comes before anything else.
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

/** Throws when `engines` of package.json names other versions than those that are supported. */
export function requireSameEngines({ engines }: { engines: { node: string } }): void {
  if (engines.node === NODE_RANGE) return
  throw new Error(`engines.node of package.json is "${engines.node}". Set it to "${NODE_RANGE}".`)
}
