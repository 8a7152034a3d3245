import { HostingError } from '../errors.ts'

/** Error for a second debugger of a server's preview. */
export function debuggerInUse(server: string, port: number | string): HostingError {
  return new HostingError('CONFLICT', `The preview of "${server}" already has a debugger, on port ${port}.`, {
    details:
      'Stop the other mcp dev --inspect first. A server has one preview, so another --inspect-port does not help.',
  })
}
