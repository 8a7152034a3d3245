/** Node lines whose internals the seals of handler modules are tested against (src/instance/isolation). */
const LINES = [22, 24, 26]

/** Why this Node cannot run handler modules, as a sentence. Undefined when it can. */
export function unsealableNode(version: string = process.versions.node): string | undefined {
  if (LINES.includes(Number.parseInt(version, 10))) return undefined
  return `Handler modules cannot be isolated on Node ${version}: this version of mcp-hosting supports Node ${LINES.slice(0, -1).join(', ')} and ${LINES.at(-1)} for them.`
}
