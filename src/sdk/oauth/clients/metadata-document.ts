/**
 * True for a client id that is the URL of a metadata document: https, with a path, without a fragment or user name, and spelled
 * as a URL parser serializes it
 * (https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/, section 3).
 */
export function isMetadataDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith('https://') || clientId.length > 2048 || !URL.canParse(clientId)) return false
  const url = new URL(clientId)
  return url.href === clientId && url.pathname !== '/' && !url.hash && !url.username && !url.password
}
