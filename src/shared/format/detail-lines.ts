/** Lines of an error's details, without the first one if the message already ends with it. */
export function detailLines({
  message,
  details,
}: {
  message: string
  details?: string | undefined
}): string[] {
  return (details?.split('\n') ?? []).filter((line, index) => index > 0 || !message.endsWith(line))
}
