import type { ProjectSource } from '../project-source.ts'
import { notParsable, toSegments } from './positions.ts'

/** Throws INVALID_MCP with line and column. */
export async function parseYaml(file: string, text: string): Promise<ProjectSource> {
  const { isNode, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${line}:${col}`
  }
  const [error] = document.errors
  if (error) throw notParsable(file, text, at(error.pos[0]), error.message)
  return {
    file,
    value: document.toJS(),
    locate(path) {
      for (let segments = toSegments(path); ; segments = segments.slice(0, -1)) {
        const node = segments.length > 0 ? document.getIn(segments, true) : document.contents
        if (isNode(node) && node.range) return at(node.range[0])
        if (segments.length === 0) return at(0)
      }
    },
  }
}
