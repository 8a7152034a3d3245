interface NodeLine {
  major: number
  /** Oldest minor version of this line. */
  minor: number
}

/** Tested release lines of Node. `engines` of package.json, README and all error messages repeat this list. */
export const NODE_LINES: readonly NodeLine[] = [
  { major: 22, minor: 19 },
  { major: 24, minor: 0 },
  { major: 26, minor: 0 },
]

const [OLDEST] = NODE_LINES

/** Range for `engines` in a package.json. */
export const NODE_RANGE = NODE_LINES.map(({ major, minor }) => `^${major}.${minor}.0`).join(' || ')

/** Versions as in a sentence: `Node.js 22 (22.19 or newer), 24 or 26`. */
export const NODE_VERSIONS = `Node.js ${NODE_LINES.map(({ major, minor }) =>
  minor === 0 ? `${major}` : `${major} (${major}.${minor} or newer)`,
)
  .join(', ')
  .replace(/, (?=\S+$)/, ' or ')}`

/** esbuild's `target` for bundles. */
export const NODE_TARGET = `node${OLDEST!.major}.${OLDEST!.minor}`

/** Accepts `24.21.0`, `v24.21.0` and `24`. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  return NODE_LINES.some(line => line.major === major && minor >= line.minor)
}
