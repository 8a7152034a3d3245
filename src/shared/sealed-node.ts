import { NODE_LINES, NODE_VERSIONS } from './supported-node.ts'

/** Why this Node cannot run handler modules, as a sentence. Undefined when it can: the seals are tested on the supported lines. */
export function unsealableNode(version: string = process.versions.node): string | undefined {
  const major = Number.parseInt(version, 10)
  if (NODE_LINES.some(line => line.major === major)) return undefined
  return `Handler modules cannot be isolated on Node ${version}: this version of mcp-hosting supports ${NODE_VERSIONS} for them.`
}
