import { createServer } from 'node:net'

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** True when the URL answers with any status. */
export async function isUp(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { method: 'PUT' })).text()
    return true
  } catch {
    return false // It is not listening yet.
  }
}
