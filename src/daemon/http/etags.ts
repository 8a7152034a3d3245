/** Whether `If-None-Match` names this entity tag, by weak comparison (RFC 9110 8.8.3.2, 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || parseEtags(header).some(given => opaqueTag(given) === opaqueTag(etag))
}

export function parseEtags(header: string): string[] {
  return header.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? []
}

function opaqueTag(etag: string): string {
  return etag.replace(/^W\//, '')
}
