interface SourceMap {
  sources: string[]
  sourcesContent?: (string | null)[]
}

/**
 * Adds an inline source map to the code. Omits the source text of packages, which would be most of the map. Stack traces only
 * need file names and line numbers.
 */
export function inlineSourceMap(code: string, map: string): string {
  const url = `data:application/json;base64,${Buffer.from(withoutPackages(map)).toString('base64')}`
  return `${code}//# sourceMappingURL=${url}\n`
}

function withoutPackages(text: string): string {
  if (!text.includes('"node_modules/')) return text
  const map: SourceMap = JSON.parse(text)
  const contents = map.sourcesContent?.map((content, index) =>
    map.sources[index]!.startsWith('node_modules/') ? null : content,
  )
  return JSON.stringify({ ...map, sourcesContent: contents })
}
