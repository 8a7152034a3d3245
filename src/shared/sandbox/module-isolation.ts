import { NODE_LINES, NODE_VERSIONS } from '../supported-node.ts'

/** Reason why this Node cannot isolate handler modules. Undefined for supported versions, where isolation is tested. */
export function moduleIsolationProblem(version: string = process.versions.node): string | undefined {
  const major = Number.parseInt(version, 10)
  if (NODE_LINES.some(line => line.major === major)) return undefined
  return `Handler modules cannot be isolated on Node ${version}: use ${NODE_VERSIONS}.`
}
