/** Lines of an error's details, without the first one if the message already ends with it or with it and ` (and 3 more)`. */
export function detailLines({
  message,
  details,
}: {
  message: string
  details?: string | undefined
}): string[] {
  const said = message.replace(/ \(and \d+ more\)$/, '')
  return (details?.split('\n') ?? []).filter((line, index) => index > 0 || !said.endsWith(line))
}
