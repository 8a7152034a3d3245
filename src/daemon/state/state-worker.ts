import { parentPort } from 'node:worker_threads'
import type { StateRequest } from './state-calls.ts'
import { StateFiles } from './state-files.ts'

// Thread of the daemon that reads and writes the stores of servers, so that waiting for the disk delays nothing else.
const port = parentPort!
const files = new StateFiles()
let waiting: StateRequest[] = []

port.on('message', (request: StateRequest | 'close') => {
  if (request === 'close') {
    handleWaiting()
    files.close()
    return port.close()
  }
  if (waiting.push(request) === 1) setImmediate(handleWaiting)
})

function handleWaiting(): void {
  const requests = waiting
  waiting = []
  for (const response of files.handle(requests)) port.postMessage(response)
}
