import { mkdtempSync, rmSync } from 'node:fs'
import type { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modern, modernHeaders, send } from '../../helpers/clients/mcp-requests.ts'
import {
  type InstanceAddress,
  InstanceHarness,
  type InstanceOptions,
} from '../../helpers/instance/instance-harness.ts'
import { fixtureProgram } from '../../helpers/vitest/fixture-programs.ts'

/** Instance processes of the scripted server and temporary folders, removed together. */
export class ScriptedInstances {
  readonly #running: InstanceHarness[] = []
  readonly #folders: string[] = []

  start = (options: InstanceOptions = {}): InstanceHarness => {
    const harness = new InstanceHarness({ program: fixtureProgram('scripted'), ...options })
    this.#running.push(harness)
    return harness
  }

  temporaryFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-instance-'))
    this.#folders.push(folder)
    return folder
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.splice(0).map(harness => harness.stop()))
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true })
  }
}

export const echo = (address: InstanceAddress, text: string, agent?: Agent) =>
  send(address.url, {
    body: modern('tools/call', { name: 'echo', arguments: { text } }),
    headers: modernHeaders('tools/call', 'echo'),
    ...(agent ? { agent } : {}),
  })
