interface SourceMap {
  sources: string[]
  sourcesContent?: (string | null)[]
}

/**
 * The code with its source map inside. Texts of packages are left out: a trace needs their names and lines only, and they are
 * most of a map's size.
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
