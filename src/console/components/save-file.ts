import { send } from '../api/client.ts'

/** Lets the browser save a file as a download. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  saveFrom(url, name)
  // By then, the browser has started to read the file.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/**
 * Lets the browser download a large file from the API. The first request waits until the file is ready and throws the error from
 * the API, which the browser would otherwise save as the file.
 */
export async function download(path: string, name: string): Promise<void> {
  const { body } = await send('GET', path, {})
  await body!.cancel()
  saveFrom(path, name)
}

function saveFrom(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
